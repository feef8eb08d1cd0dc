// SPDX-License-Identifier: Apache-2.0
#include "inputs/fragment_kind.h"

#include <algorithm>
#include <initializer_list>

#include "base/text/characters.h"
#include "base/text/text.h"
#include "formats/readers.h"

namespace sparkprof {
namespace {

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool HasAll(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::all_of(parts.begin(), parts.end(), [&](std::string_view part) { return Has(text, part); });
}

bool HasAny(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return Has(text, part); });
}

// Whether `is` holds for one of the lines, without their ends.
template <typename Is>
bool HasLine(std::string_view text, Is is) {
  while (!text.empty()) {
    if (is(WithoutCarriageReturn(TakeLine(&text)))) return true;
  }
  return false;
}

bool IsJson(std::string_view head) {
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  return head.starts_with('{') || (head.starts_with('[') && Trim(head.substr(1)).starts_with('{'));
}

// Whether text has JSON from some line on, such as below a question.
bool HasJson(std::string_view head) {
  while (!head.empty()) {
    if (IsJson(head)) return true;
    TakeLine(&head);
  }
  return false;
}

// JSON, or the dictionary of Python that notebooks print.
bool IsStreamingProgress(std::string_view head) {
  return HasJson(head) && HasAll(head, {"runId", "batchId"}) && HasAny(head, {"durationMs", "numInputRows"});
}

// YAML, JSON, and what `kubectl describe` prints; or the status alone.
bool IsSparkApplication(std::string_view head) {
  if (IsJson(head)) {
    return Has(head, "\"SparkApplication\"") || HasAll(head, {"\"applicationState\"", "\"state\""}) ||
           Has(head, "\"currentStateSummary\"");
  }
  return HasLine(head, [](std::string_view line) {
    const std::string_view text = Trim(line);
    return (text.starts_with("kind:") || text.starts_with("Kind:")) && Trim(text.substr(5)) == "SparkApplication";
  });
}

bool IsRestAnswer(std::string_view head) {
  return HasJson(head) &&
         (HasAll(head, {"\"stageId\"", "\"status\"", "\"numTasks\""}) || HasAll(head, {"\"jobId\"", "\"stageIds\""}) ||
          HasAll(head, {"\"hostPort\"", "\"isActive\""}) || HasAll(head, {"\"attempts\"", "\"sparkUser\""}) ||
          HasAll(head, {"\"planDescription\"", "\"status\""}) || HasAll(head, {"\"successJobIds\"", "\"status\""}));
}

bool IsYarnRestAnswer(std::string_view head) {
  return HasJson(head) && HasAll(head, {"\"finalStatus\"", "\"diagnostics\""});
}

bool IsLivyAnswer(std::string_view head) {
  return HasJson(head) && (HasAll(head, {"\"appInfo\"", "\"state\""}) || HasAll(head, {"\"sessions\"", "\"total\""}) ||
                           HasAll(head, {"\"statements\"", "\"total_statements\""}) ||
                           HasAll(head, {"\"output\"", "\"execution_count\"", "\"state\""}));
}

// Rows of system.query.history as JSON or CSV, or the answer of the REST API.
bool IsQueryHistory(std::string_view head) {
  return HasAll(head, {"\"statement_id\"", "\"total_duration_ms\""}) ||
         (IsJson(head) && HasAll(head, {"\"query_id\"", "\"query_text\"", "\"status\""})) ||
         HasAll(head.substr(0, head.find('\n')), {"statement_id,", "total_duration_ms"});
}

bool IsOperatorLog(std::string_view head) {
  return Has(head, "SparkApplication") &&
         HasAny(head, {"sparkapplication/controller.go:", "sparkapplication/event_handler.go:", " controller.go:",
                       " submission.go:", " submission_runner.go:"});
}

bool IsCrashReport(std::string_view head) {
  return HasAny(head, {"# A fatal error has been detected by the Java Runtime Environment",
                       "# There is insufficient memory for the Java Runtime Environment to continue"});
}

bool IsKernelLog(std::string_view head) {
  return HasLine(head, [](std::string_view line) {
    return Has(line, " invoked oom-killer: ") ||
           (Has(line, "ut of memory: Kill") && Has(line, " process ") && Has(line, " ("));
  });
}

bool IsHistogram(std::string_view head) {
  constexpr int kLeast = 3;  // without its heading
  int lines = 0;
  return HasAll(head, {"#instances", "#bytes"}) ||
         HasLine(head, [&](std::string_view line) { return IsHistogramLine(line) && ++lines == kLeast; });
}

bool IsGcLog(std::string_view head) { return HasLine(head, IsGcLine); }

bool IsPlan(std::string_view head) {
  return !IsJson(head) &&
         (HasAny(head, {"== Physical Plan ==", "== Optimized Logical Plan ==", "== Analyzed Logical Plan ==",
                        "== Parsed Logical Plan ==", "AdaptiveSparkPlan isFinalPlan="}) ||
          (Has(head, "+- ") && HasAny(head, {"Exchange hashpartitioning(", "FileScan ", "BroadcastExchange "})));
}

bool IsPodDescription(std::string_view head) {
  return (head.starts_with("Name:") || HasAny(head, {"\nName:", "\nStatus:"})) && Has(head, "\nContainers:") &&
         HasAny(head, {"\nConditions:", "\nEvents:", "\nQoS Class:", "\n    State:"});
}

bool IsEventList(std::string_view head) {
  return HasLine(head, [](std::string_view line) {
    return HasAll(line, {"LAST SEEN", "REASON", "OBJECT", "MESSAGE"});
  });
}

bool IsPodList(std::string_view head) {
  return HasLine(head, [](std::string_view line) {
    return (line.starts_with("NAME ") || line.starts_with("NAMESPACE ")) &&
           HasAll(line, {" READY ", " STATUS ", " RESTARTS "});
  });
}

bool IsYarnStatus(std::string_view head) {
  return HasAll(head, {"Application-Id :", "Final-State :"}) || HasAll(head, {"Application Report :", "State :"});
}

bool IsYarnList(std::string_view head) {
  return HasLine(head, [](std::string_view line) {
    return HasAll(line, {"Application-Id", "Application-Name", "Final-State"});
  });
}

// Options alone, such as of a script, name no program.
bool IsSubmitCommand(std::string_view head) {
  return Has(head, "spark-submit") &&
         HasAny(head, {"--master ", "--conf ", "--class ", "--deploy-mode ", "--executor-memory ", "--num-executors ",
                       "--driver-memory ", "--executor-cores ", "--packages ", "--jars "}) &&
         HasLine(head, [](std::string_view line) {
           const size_t at = line.find("spark-submit");
           if (at == std::string_view::npos) return false;
           const std::string_view rest = Trim(line.substr(at + std::string_view("spark-submit").size()));
           return rest.empty() || rest.starts_with('-') || rest.starts_with('\\');
         });
}

bool IsWebPage(std::string_view head) {
  return Has(head, "Summary Metrics for ") || HasLine(head, [](std::string_view line) {
           return HasAll(line, {"Job Id", "Description", "Submitted", "Duration"}) ||
                  HasAll(line, {"Stage Id", "Description", "Submitted", "Tasks: Succeeded"}) ||
                  HasAll(line, {"Executor ID", "Address", "RDD Blocks"}) ||
                  HasAll(line, {"Batch Time", "Scheduling Delay", "Processing Time"});
         });
}

// Whether a member of JSON begins with an exception, as the answers of job servers do: "message": "java.io.IOException:
// x".
bool HasExceptionMember(std::string_view json) {
  for (const std::string_view end : {"Exception: ", "Error: "}) {
    for (size_t at = json.find(end); at != std::string_view::npos; at = json.find(end, at + 1)) {
      const std::string_view before = json.substr(0, at);
      const size_t quote = before.find_last_of(" \t\r\n\\\"");
      if (quote == std::string_view::npos || before[quote] != '"') continue;
      if (before.substr(quote).find('.') != std::string_view::npos && Trim(before.substr(0, quote)).ends_with(':'))
        return true;
    }
  }
  return false;
}

bool IsStackTrace(std::string_view head) {
  if (IsJson(head)) return HasExceptionMember(head);
  return HasLine(head, [](std::string_view line) {
    const std::string_view text = Trim(line);
    if (text.starts_with("at ") && text.ends_with(')') && Has(text, "(")) return true;
    return text.starts_with("Caused by: ") || text.starts_with("Traceback (most recent call last)") ||
           text.starts_with("Exception in thread \"") || text.starts_with("py4j.protocol.Py4J") ||
           text.starts_with("org.apache.spark.SparkException: ") ||
           text.starts_with("Job aborted due to stage failure: ");
  });
}

// Whether a member with such a name has a text: the answers of the APIs of platforms have one with the reason.
bool IsJsonMessage(std::string_view head) {
  if (!IsJson(head)) return false;
  const std::string lower = ToLowerAscii(head);
  for (const std::string_view end :
       {"message\"", "msg\"", "reason\"", "error\"", "details\"", "diagnostics\"", "error_code\"", "errorclass\""}) {
    for (size_t at = lower.find(end); at != std::string::npos; at = lower.find(end, at + 1)) {
      const std::string_view behind = Trim(std::string_view(lower).substr(at + end.size()));
      if (!behind.starts_with(':')) continue;
      const std::string_view value = Trim(behind.substr(1));
      if (value.starts_with('"') && !value.starts_with("\"\"")) return true;
    }
  }
  return false;
}

bool IsNever(std::string_view) { return false; }  // divided into its logs before

constexpr std::string_view kLogsOfContainers =
    "the log of the container that failed, and the application's event log (spark.eventLog.dir), have the cause";

constexpr FragmentType kTypes[] = {
    {FragmentKind::kQueryHistory, "a query history of Databricks",
     "statements that failed, spilled or waited, and where their time went",
     "the query profile of a statement shows its operators", IsQueryHistory},
    {FragmentKind::kStreamingProgress, "the progress of a streaming query",
     "the phases of its triggers, the rates of its input, and the rows of its state",
     "the application's event log (spark.eventLog.dir) shows the stages and tasks of each batch", IsStreamingProgress},
    {FragmentKind::kSparkApplication, "a SparkApplication of Kubernetes", "its state and the reason of a failure",
     kLogsOfContainers, IsSparkApplication},
    {FragmentKind::kRestAnswer, "an answer of Spark's REST API", "states, and the reasons of failures",
     "the application's event log (spark.eventLog.dir) has the metrics of all tasks", IsRestAnswer},
    {FragmentKind::kYarnRestAnswer, "an answer of YARN's REST API", "states, and the reasons of failures",
     "`yarn logs -applicationId ID` and the application's event log (spark.eventLog.dir) have the cause",
     IsYarnRestAnswer},
    {FragmentKind::kLivyAnswer, "an answer of Livy", "the state of a session or batch, and the reason of a failure",
     "the driver's log and the application's event log (spark.eventLog.dir) have the cause", IsLivyAnswer},
    {FragmentKind::kOperatorLog, "a log of the Spark Operator",
     "the states of applications, and the reasons of failures", kLogsOfContainers, IsOperatorLog},
    {FragmentKind::kCrashReport, "a crash report of the JVM (hs_err)",
     "the signal, the frame and its library, and the heap", "the log of the same process shows what it did before",
     IsCrashReport},
    {FragmentKind::kKernelLog, "a kernel log with a kill for memory",
     "the process that was killed, the limit of its container, and the memory of the processes in it",
     "`kubectl describe pod POD` or YARN's log of the container, and the application's event log "
     "(spark.eventLog.dir) show what ran in it",
     IsKernelLog},
    {FragmentKind::kThreadDump, "a thread dump", "what the threads of tasks do, locks with their owners, and deadlocks",
     "a recording (sparkprof attach PID) or dumps over a longer time show how often", LooksLikeThreadDump},
    {FragmentKind::kHeapHistogram, "a heap histogram of the JVM",
     "the classes with the most bytes, and what typically holds them",
     "a recording (sparkprof attach PID) shows their growth and the code that allocates them", IsHistogram},
    {FragmentKind::kGcLog, "a GC log of the JVM",
     "pauses, allocation, full collections, and the live set against the heap",
     "the application's event log (spark.eventLog.dir) shows which stages and tasks wait for it", IsGcLog},
    {FragmentKind::kExplainPlan, "a query plan of EXPLAIN",
     "joins, exchanges, scans with their filters, and Python functions",
     "the application's event log (spark.eventLog.dir) has the rows, bytes and times of each operator", IsPlan},
    {FragmentKind::kPodDescription, "a description of a pod (kubectl describe)",
     "the states of its containers, and warnings", kLogsOfContainers, IsPodDescription},
    {FragmentKind::kEventList, "a list of events of Kubernetes (kubectl get events)", "its warnings",
     "`kubectl describe pod POD` and the logs of the pods have the causes", IsEventList},
    {FragmentKind::kPodList, "a list of pods (kubectl get pods)", "the pods that do not run",
     "`kubectl describe pod POD` has the reasons", IsPodList},
    {FragmentKind::kYarnStatus, "an application's status in YARN (yarn application -status)",
     "its state, and the reason of a failure",
     "`yarn logs -applicationId ID` and the application's event log (spark.eventLog.dir) have the cause", IsYarnStatus},
    {FragmentKind::kStackTrace, "a stack trace", "the innermost cause, and the line of your code",
     "the log around it and the application's event log (spark.eventLog.dir) show where it happened", IsStackTrace},
    {FragmentKind::kYarnList, "a list of YARN's applications (yarn application -list)",
     "the applications that wait, and what runs in the same queue",
     "`yarn application -status ID` and `yarn queue -status QUEUE` show why they wait", IsYarnList},
    {FragmentKind::kSubmitCommand, "a command of spark-submit",
     "the memory of a container, the tasks at once, and settings that contradict each other",
     "the application's event log (spark.eventLog.dir) has all settings in force, and what they cost", IsSubmitCommand},
    {FragmentKind::kWebPage, "a table of Spark's web UI",
     "metrics of a stage's tasks, jobs with their skipped tasks, and executors",
     "the application's event log (spark.eventLog.dir) has all jobs, stages and tasks", IsWebPage},
    {FragmentKind::kJsonMessage, "a message in JSON, as of a platform's API", "states, and the reason of a failure",
     "the driver's log and the application's event log (spark.eventLog.dir) have the cause", IsJsonMessage},
    {FragmentKind::kYarnLogs, "logs of YARN's containers (yarn logs)", "what the logs of drivers and executors have",
     "the application's event log (spark.eventLog.dir) has all jobs, stages and tasks", IsNever},
};

// "[2026-11-28T07:00:01.123+0000][1.234s][info][gc,heap     ] GC(1) …"
bool IsUnifiedGcLine(std::string_view line) {
  while (line.starts_with('[')) {
    const size_t close = line.find(']');
    if (close == std::string_view::npos) return false;
    const std::string_view tags = Trim(line.substr(1, close - 1));
    if (tags == "gc" || tags.starts_with("gc,")) return true;
    line = line.substr(close + 1);
  }
  line = Trim(line);
  return line.starts_with("GC(") && IsDigits(line.substr(3, line.find(") ") - 3));
}

}  // namespace

bool IsGcLine(std::string_view line) {
  if (IsUnifiedGcLine(line)) return true;
  if (line.starts_with("CommandLine flags: -XX:")) return true;  // JDK 8
  const size_t event = std::min(
      {line.find("[GC"), line.find("[Full GC"), line.find("[Pause "), line.find("[CMS-"), line.find("[Concurrent ")});
  // Before it are stamps only.
  return event != std::string_view::npos &&
         line.substr(0, event).find_first_not_of("0123456789.,:+-TZ ") == std::string_view::npos;
}

bool IsHistogramLine(std::string_view line) {
  std::string_view rest = Trim(line);
  const auto take = [&] {
    const size_t end = std::min(rest.find_first_of(" \t"), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest = Trim(rest.substr(end));
    return word;
  };
  const std::string_view number = take(), instances = take(), bytes = take();
  return number.ends_with(':') && IsDigits(number.substr(0, number.size() - 1)) && IsDigits(instances) &&
         IsDigits(bytes) && !rest.empty();
}

std::span<const FragmentType> FragmentTypes() { return kTypes; }

const FragmentType& TypeOf(FragmentKind kind) {
  return *std::find_if(std::begin(kTypes), std::end(kTypes),
                       [&](const FragmentType& type) { return type.kind == kind; });
}

bool IsOfSources(FragmentKind kind) {
  return kind == FragmentKind::kSubmitCommand || kind == FragmentKind::kWebPage || kind == FragmentKind::kJsonMessage;
}

const FragmentType* RecognizeFragment(std::string_view head) {
  const auto found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const FragmentType& type) { return type.looks_like(head); });
  return found == std::end(kTypes) ? nullptr : found;
}

}  // namespace sparkprof
