// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/work_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <unordered_map>

#include "analysis/plans/plan_text.h"
#include "base/text/contains.h"
#include "base/text/text.h"
#include "libraries/libraries.h"
#include "model/plan_operators.h"

namespace sparkprof {
namespace {

constexpr std::string_view kWorkArrow = " → ";

struct KnownWork {
  std::string_view kind;
  std::string_view work;  // empty = not mentioned
};
constexpr KnownWork kKnownWork[] = {
    {"AQEShuffleRead", ""},
    {"AdaptiveSparkPlan", ""},
    {"AppendColumns", ""},
    {"BroadcastHashJoin", "broadcast join"},
    {"BroadcastNestedLoopJoin", "nested loop join"},
    {"CartesianProduct", "cross join"},
    {"CollectLimit", "limit"},
    {"ColumnarToRow", ""},
    {"CustomShuffleReader", ""},
    {"DeserializeToObject", ""},
    {"Expand", "expand"},
    {"Filter", "filter"},
    {"Generate", "generate"},
    {"GlobalLimit", "limit"},
    {"InMemoryTableScan", "read cache"},
    {"LocalLimit", "limit"},
    {"LocalTableScan", "local rows"},
    {"Project", "project"},
    {"Range", "range"},
    {"RowToColumnar", ""},
    {"SerializeFromObject", ""},
    {"ShuffledHashJoin", "hash join"},
    {"Sort", "sort"},
    {"SortMergeJoin", "merge join"},
    {"TakeOrderedAndProject", "top rows"},
    {"Union", "union"},
    {"Window", "window"},
};

std::string_view LastPartOf(std::string_view path, std::string_view separators) {
  return path.substr(path.find_last_of(separators) + 1);
}

// The input of a scan: the table of "Scan parquet db.sales", or the folder of "Location:
// InMemoryFileIndex[file:/data/sales]".
std::string TableOf(const PlanNode& node) {
  const std::vector<std::string_view> words = Split(Trim(node.name), ' ');
  if (words.size() > 2) return std::string(LastPartOf(words[2], "."));
  const std::string_view text = node.text;
  const size_t location = text.find("Location: ");
  const size_t open = location == std::string_view::npos ? location : text.find('[', location);
  if (open != std::string_view::npos) {
    const std::string_view path = text.substr(open + 1, text.find_first_of("],", open) - open - 1);
    // Spark shortens long paths.
    if (!path.empty() && !path.ends_with("...")) return std::string(LastPartOf(path, "/"));
  }
  return words.size() > 1 ? std::string(words[1]) : std::string();
}

// The first function in "ArrowEvalPython [score(id#0L)#4], [pythonUDF0#9], 200".
std::string FunctionOf(const PlanNode& node) {
  const std::string_view text = node.text;
  const size_t open = text.find('(');
  if (open == std::string_view::npos) return {};
  size_t begin = open;
  while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) || text[begin - 1] == '_')) --begin;
  return std::string(text.substr(begin, open - begin));
}

std::string WorkInWords(std::string_view kind) {
  std::string words;
  for (const char c : kind) {
    if (std::isupper(static_cast<unsigned char>(c)) && !words.empty()) words += ' ';
    words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

std::string WorkOf(const PlanOperator& one) {
  const std::string_view kind = one.kind;
  if (IsExchange(kind)) return {};
  if (IsWrite(kind)) return "write";
  if (IsPythonOperator(kind)) return std::string(Trim("Python " + FunctionOf(*one.plan)));
  if (kind.ends_with("Aggregate")) {
    if (Contains(one.plan->text, "partial_")) return "partial aggregate";
    return Contains(one.plan->text, "merge_") ? "merge aggregate" : "aggregate";
  }
  const auto* const known = std::ranges::find_if(kKnownWork, [&](const KnownWork& each) { return each.kind == kind; });
  if (known != std::end(kKnownWork)) return std::string(known->work);
  return kind.ends_with("Scan") ? std::string(Trim("scan " + TableOf(*one.plan))) : WorkInWords(kind);
}

class PlanWork {
 public:
  void Add(const std::vector<PlanOperator>& operators) {
    for (const PlanOperator& one : operators) {
      const bool is_root =
          one.parent < 0 || (one.is_subquery && !operators[static_cast<size_t>(one.parent)].is_subquery);
      if (is_root) Visit(operators, one);
    }
  }

  const std::map<int64_t, std::vector<std::string>>& Steps() const { return steps_; }

 private:
  // An operator follows its inputs.
  void Visit(const std::vector<PlanOperator>& operators, const PlanOperator& one) {
    for (const int32_t input : one.inputs) Visit(operators, operators[static_cast<size_t>(input)]);
    std::string work = WorkOf(one);
    if (one.kind == "BroadcastExchange" && !one.inputs.empty()) {
      for (const int64_t stage : operators[static_cast<size_t>(one.inputs[0])].stages) Append(stage, "broadcast");
    }
    if (work.empty()) return;
    for (const int64_t stage : one.stages) Append(stage, work);
  }

  void Append(int64_t stage, const std::string& work) { steps_[stage].push_back(work); }

  std::map<int64_t, std::vector<std::string>> steps_;
};

// Merges equal consecutive steps; counts equal joins, with or without filters in between: "3 broadcast joins".
std::vector<std::string> WithoutRepeats(const std::vector<std::string>& steps) {
  std::vector<std::string> texts;
  std::vector<size_t> counts;
  size_t join = 0;  // row of the last join
  for (const std::string& step : steps) {
    const bool is_join = step.ends_with(" join");
    const auto is_filter = [](const std::string& text) { return text == "filter"; };
    if (is_join && join < texts.size() && texts[join] == step &&
        std::all_of(texts.begin() + static_cast<ptrdiff_t>(join) + 1, texts.end(), is_filter)) {
      ++counts[join];
      texts.resize(join + 1);
      counts.resize(join + 1);
      continue;
    }
    if (!texts.empty() && texts.back() == step) continue;
    if (is_join) join = texts.size();
    texts.push_back(step);
    counts.push_back(1);
  }
  for (size_t i = 0; i < texts.size(); ++i)
    if (counts[i] > 1) texts[i] = fmt::format("{} {}s", counts[i], texts[i]);
  return texts;
}

// Mentions projections only if there is little else.
std::string Join(std::vector<std::string> steps) {
  constexpr size_t kMax = 7;
  if (steps.size() > 2) std::erase(steps, "project");
  steps = WithoutRepeats(steps);
  if (steps.size() > kMax) {
    steps.erase(steps.begin() + kMax / 2, steps.end() - kMax / 2);
    steps.insert(steps.begin() + kMax / 2, "…");
  }
  return fmt::format("{}", fmt::join(steps, kWorkArrow));
}

// Cache of the libraries in call stacks: many stages have the same one.
class KnownCalls {
 public:
  // null = none
  const LibraryCall* In(std::string_view call_stack) {
    const auto [known, is_new] = calls_.try_emplace(call_stack);
    if (is_new) known->second = LibraryCallIn(call_stack);
    return known->second ? &*known->second : nullptr;
  }

 private:
  std::unordered_map<std::string_view, std::optional<LibraryCall>> calls_;
};

// "batches of the stream clicks" for "clicks\nid = 7d…\nrunId = 41…\nbatch = 3"; empty for other descriptions.
std::string StreamOf(std::string_view description) {
  if (!Contains(description, "\nrunId = ")) return {};
  const std::string_view first = description.substr(0, description.find('\n'));
  return first.empty() || first.starts_with("id = ") ? "batches of a stream"
                                                     : fmt::format("batches of the stream {}", first);
}

std::string LineOf(const std::string& name, const SqlExecution* sql, const Job* job) {
  if (std::string step = job == nullptr ? std::string() : StepOf(*job); !step.empty()) return step;
  for (const std::string* line : {&name, sql == nullptr ? &name : &sql->description}) {
    if (IsOfProgram(*line)) return ShortCallSite(*line);
  }
  const std::string& known = sql == nullptr || sql->description.empty() ? name : sql->description;
  if (std::string stream = StreamOf(known); !stream.empty()) return stream;
  return ShortCallSite(std::string_view(known).substr(0, known.find(" at ")));
}

}  // namespace

std::string WorkName::Text() const { return work.empty() || line.empty() ? work + line : work + ", " + line; }

WorkNames NamesOfWork(const Application& application) {
  std::unordered_map<int64_t, const SqlExecution*> executions;
  std::map<int64_t, std::string> work;  // by stage ID
  for (const SqlExecution& sql : application.sql_executions) {
    executions.emplace(sql.id, &sql);
    PlanWork plan;
    plan.Add(OperatorsOf(sql.plan));
    for (const auto& [stage, steps] : plan.Steps()) work.emplace(stage, Join(steps));
  }
  const auto sql_of = [&](int64_t id) -> const SqlExecution* {
    const auto found = executions.find(id);
    return found == executions.end() ? nullptr : found->second;
  };
  std::unordered_map<int64_t, const Job*> jobs;
  for (const Job& job : application.jobs) jobs.emplace(job.id, &job);
  WorkNames names;
  KnownCalls calls;
  for (const Stage& stage : application.stages) {
    const auto found = work.find(stage.id);
    const auto job = jobs.find(stage.job);
    const SqlExecution* const sql = sql_of(stage.sql_execution);
    WorkName& name = names.stages.emplace_back();
    if (found != work.end()) name.work = found->second;
    const LibraryCall* call = calls.In(stage.details);
    if (call == nullptr && sql != nullptr) call = calls.In(sql->details);
    if (call != nullptr) {
      name.library = call->library;
      name.partitions = call->partitions;
      name.line = fmt::format("{}: {}", call->library, call->operation);
    } else {
      name.line = LineOf(stage.name, sql, job == jobs.end() ? nullptr : job->second);
    }
  }
  for (const Job& job : application.jobs) {
    std::vector<std::string> of_stages;
    std::vector<int64_t> ids = job.stages;
    std::ranges::sort(ids);
    for (const int64_t id : ids) {
      const auto found = work.find(id);
      if (found != work.end()) of_stages.push_back(found->second);
    }
    names.jobs.push_back({.work = fmt::format("{}", fmt::join(of_stages, "; ")),
                          .line = LineOf(job.name, sql_of(job.sql_execution), &job)});
  }
  return names;
}

}  // namespace sparkprof
