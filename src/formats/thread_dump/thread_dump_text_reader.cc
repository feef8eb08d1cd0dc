// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/text/characters.h"
#include "base/text/text.h"
#include "formats/read_input.h"
#include "formats/thread_dump/dumped_threads.h"

namespace sparkprof {
namespace {

constexpr std::string_view kFaultHandler = "(most recent call first)";
constexpr std::string_view kStackDumpEnd = "most recent call last):";

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// The number after `key`, hexadecimal after "0x"; 0 without one.
int64_t NumberBehind(std::string_view line, std::string_view key) {
  const size_t at = line.find(key);
  if (at == std::string_view::npos) return 0;
  line.remove_prefix(at + key.size());
  int base = 10;
  if (line.starts_with("0x")) {
    line.remove_prefix(2);
    base = 16;
  }
  uint64_t number = 0;
  std::from_chars(line.data(), line.data() + line.size(), number, base);
  return number > INT64_MAX ? 0 : static_cast<int64_t>(number);
}

// The quote that ends the name, which may have quotes itself; npos without a name. A lock's owner may follow.
size_t EndOfName(std::string_view line) {
  const size_t end = line.substr(0, line.find(" owned by \"")).rfind('"');
  return end == line.find('"') ? std::string_view::npos : end;
}

// The text after the name; empty without one.
std::string_view BehindName(std::string_view line) {
  const size_t end = EndOfName(line);
  return end == std::string_view::npos ? std::string_view() : line.substr(end + 1);
}

// The state that Thread.getState() has: "WAITING" in `"main" prio=5 Id=1 WAITING on java.lang.Object@7f`.
bool HasJavaState(std::string_view text) {
  for (const std::string_view state : {" RUNNABLE", " BLOCKED", " WAITING", " TIMED_WAITING", " NEW", " TERMINATED"}) {
    if (Has(text, state)) return true;
  }
  return false;
}

// `"main" #1 prio=5 … tid=0x7f nid=0x12 runnable`, `"main" - Thread t@1`
bool IsHotSpotThread(std::string_view line) {
  if (!line.starts_with('"')) return false;
  const std::string_view rest = BehindName(line);
  return Has(rest, " tid=") || Has(rest, " nid=") || Has(rest, " #") || rest.starts_with(" - Thread t@");
}
// Headers of ThreadInfo: `"main" prio=5 Id=1 WAITING on java.lang.Object@7f`; of the JDK's demo ThreadMonitor: `"main"
// id=1 in RUNNABLE`
bool IsManagementThread(std::string_view line) {
  if (!line.starts_with('"')) return false;
  const std::string_view rest = BehindName(line);
  return (Has(rest, " Id=") || Has(rest, " id=")) && HasJavaState(rest);
}
// `#3 "main" WAITING 2026-11-22T20:57:10.655609107Z`, without state and time before JDK 24
bool IsDumpToFileThread(std::string_view line) {
  if (!line.starts_with('#')) return false;
  const size_t quote = line.find(" \"");
  if (quote == std::string_view::npos || !IsDigits(line.substr(1, quote - 1))) return false;
  const std::string_view rest = BehindName(line);
  return line.ends_with('"') || rest.starts_with(" virtual") || HasJavaState(rest);
}
// "Thread 1234: (state = BLOCKED)"
bool IsAgentThread(std::string_view line) {
  constexpr std::string_view kThread = "Thread ", kState = ": (state = ";
  const size_t state = line.find(kState);
  return line.starts_with(kThread) && state != std::string_view::npos &&
         IsDigits(line.substr(kThread.size(), state - kThread.size()));
}
// "----------------- 1234 -----------------"
bool IsMixedThread(std::string_view line) {
  constexpr std::string_view kRule = "-----------------";
  return line.starts_with(kRule) && line.ends_with(kRule) && line.size() > 2 * kRule.size() &&
         IsDigits(Trim(line.substr(kRule.size(), line.size() - 2 * kRule.size())));
}
// "0x00007f1f8bbb272f\t__GI_accept + 0x4f"
bool IsMixedFrame(std::string_view line) {
  if (!line.starts_with("0x")) return false;
  const size_t tab = line.find('\t');
  if (tab == std::string_view::npos || tab == 2) return false;
  for (const char c : line.substr(2, tab - 2)) {
    if (!IsHexDigit(c)) return false;
  }
  return true;
}
bool IsJavaState(std::string_view text) {
  return text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string_view::npos &&
         HasJavaState(fmt::format(" {}", text));
}
// The first cell of a row of a table, which is then what follows it. Cells end with a tab, or with " | " in Markdown.
std::string_view TakeCell(std::string_view* row) {
  constexpr std::string_view kBar = " | ";
  const size_t tab = row->find('\t'), bar = row->find(kBar), end = std::min(tab, bar);
  const std::string_view cell = row->substr(0, end);
  *row = end == std::string_view::npos ? std::string_view() : row->substr(end + (tab < bar ? 1 : kBar.size()));
  return Trim(cell);
}
// A row of the Spark UI's page, copied with its frames: "90\tExecutor task launch worker\tRUNNABLE\tMonitor(…)"
bool IsSparkPageThread(std::string_view line) {
  const std::string_view number = TakeCell(&line), name = TakeCell(&line), state = TakeCell(&line);
  return IsDigits(number) && !name.empty() && IsJavaState(state);
}
// Such a row over two lines: "90  Executor task launch worker", "WAITING\tLock(…)"
bool IsSparkPageThread(std::string_view line, std::string_view next) {
  const size_t name = line.find_first_not_of("0123456789");
  return name != 0 && name != std::string_view::npos && (line[name] == ' ' || line[name] == '\t') &&
         !Trim(line.substr(name)).empty() && IsJavaState(TakeCell(&next));
}
// `"main":` below "Java stack information for the threads listed above"
bool IsDeadlockedThread(std::string_view line) { return line.size() > 3 && line[0] == '"' && line.ends_with("\":"); }
bool IsFaultHandlerThread(std::string_view line) {
  return (line.starts_with("Thread 0x") || line.starts_with("Current thread 0x")) && Has(line, kFaultHandler);
}
bool IsPySpyThread(std::string_view line) {
  return line.starts_with("Thread ") && (Has(line, " (active") || Has(line, " (idle)"));
}
// "Stack dump for PID 1, thread 2 (main thread, on CPU; most recent call last):"
bool IsStackDumpThread(std::string_view line) {
  return line.starts_with("Stack dump") && line.ends_with(kStackDumpEnd);
}

// Thread dumps as text, any number, between any other lines: each thread of each dump is a sample. Supported are
// - HotSpot: jstack, jcmd Thread.print, kill -QUIT; VisualVM; ThreadInfo.toString() of JMX
// - jcmd Thread.dump_to_file, with virtual threads
// - the page of the Spark UI, copied
// - the serviceability agent: jhsdb jstack, also --mixed; jstack -F and -m of JDK 8
// - Python's faulthandler, which PySpark's workers use, py-spy dump, and Python 3.15's profiling.sampling dump.
// Dumps of Java have times. A dump may end anywhere.
class ThreadDumpTextReader {
 public:
  explicit ThreadDumpTextReader(ProfileBuilder* builder) : builder_(builder), samples_(builder) {}

  Result<void> AddLine(std::string_view line) {
    ++line_number_;
    const bool begins_thread = BeginThread(line);
    line_before_ = line;
    if (begins_thread) return {};
    if (line.starts_with("Full thread dump ")) {
      EndThread();
      if (!std::exchange(has_new_time_, false)) time_ns_ = kNoTime;
      return {};
    }
    // The end of HotSpot's dumps.
    if (line.starts_with("JNI global ref")) {
      EndThread();
      time_ns_ = kNoTime;
      return {};
    }
    if (!in_thread_) {
      if (const std::optional<int64_t> time = ParseDumpTime(line)) {
        time_ns_ = *time;
        has_new_time_ = true;
      }
      return {};
    }
    if (!Trim(line).empty()) return AddFrame(line);
    EndThread();
    return {};
  }

  Result<void> Finish() {
    EndThread();
    return found_any_ ? Result<void>() : Expect("a thread dump, found none");
  }

 private:
  enum class Syntax : uint8_t { kJava, kDumpToFile, kPython, kStackDump };

  void BeginJavaThread(std::string_view line) {
    const std::string_view rest = BehindName(line);
    thread_.thread.name = std::string(line.substr(1, EndOfName(line) - 1));
    thread_.thread.tid = NumberBehind(rest, " nid=");
    thread_.is_runnable = Has(rest, " runnable") || Has(rest, " RUNNABLE");
  }

  void BeginDumpToFileThread(std::string_view line) {
    syntax_ = Syntax::kDumpToFile;
    const std::string_view rest = BehindName(line);
    const size_t name = line.find('"') + 1;
    thread_.thread.name = std::string(line.substr(name, EndOfName(line) - name));
    // Virtual threads rarely have a name.
    if (thread_.thread.name.empty()) thread_.thread.name = fmt::format("thread {}", line.substr(0, line.find(' ')));
    thread_.is_runnable = !HasJavaState(rest) || Has(rest, " RUNNABLE");
    const size_t time = rest.rfind(' ');
    if (time != std::string_view::npos)
      thread_.time_ns = ParseDumpTime(rest.substr(time + 1)).value_or(thread_.time_ns);
  }

  void BeginSparkPageThread(std::string_view name, std::string_view state) {
    EndThread();
    in_thread_ = true;
    thread_.time_ns = time_ns_;
    syntax_ = Syntax::kDumpToFile;  // its frames have no "at" either
    thread_.thread.name = std::string(Trim(name));
    thread_.is_runnable = state == "RUNNABLE";
  }

  void BeginFaultHandlerThread(std::string_view line) {
    syntax_ = Syntax::kPython;
    // Since Python 3.14 with the thread's name: "Thread 0x… [name] (most …".
    const size_t open = line.find('['), close = line.find(']');
    if (open != std::string_view::npos && close != std::string_view::npos && close > open) {
      thread_.thread.name = std::string(line.substr(open + 1, close - open - 1));
      return;
    }
    const size_t begin = line.find("0x");
    thread_.thread.name = fmt::format("thread {}", line.substr(begin, line.find(' ', begin) - begin));
  }

  void BeginPySpyThread(std::string_view line) {
    syntax_ = Syntax::kPython;
    thread_.thread.tid = NumberBehind(line, "Thread ");
    const size_t name = line.find(": \"");
    if (name != std::string_view::npos)
      thread_.thread.name = std::string(line.substr(name + 3, line.rfind('"') - name - 3));
    thread_.is_runnable = Has(line, " (active");
  }

  void BeginStackDumpThread(std::string_view line) {
    syntax_ = Syntax::kStackDump;
    // Only the first thread of a dump names the process.
    process_ = Has(line, " for PID ") ? NumberBehind(line, " for PID ") : process_;
    thread_.thread.process = process_;
    thread_.thread.tid = NumberBehind(line, ", thread ");
    thread_.thread.name = fmt::format("thread {}", thread_.thread.tid);
    thread_.is_runnable = !Has(line, "idle; ") && !Has(line, "waiting for GIL");
  }

  // Below its carrier in HotSpot's dumps: "Mounted virtual thread #29". It runs, and the carrier's own frames wait for
  // it.
  void BeginMountedThread(std::string_view text) {
    thread_.is_runnable = false;
    EndThread();
    in_thread_ = true;
    thread_.time_ns = time_ns_;
    thread_.thread.name = fmt::format("thread {}", text.substr(text.rfind(' ') + 1));
  }

  // True if `line` begins a thread.
  bool BeginThread(std::string_view line) {
    if (IsSparkPageThread(line_before_, line)) {
      BeginSparkPageThread(std::string_view(line_before_).substr(line_before_.find_first_of(" \t")), TakeCell(&line));
      return true;
    }
    constexpr std::string_view kFirstCharacters = "\"#-TCS0123456789";  // first characters of all texts below
    if (line.empty() || kFirstCharacters.find(line[0]) == std::string_view::npos) return false;
    if (IsSparkPageThread(line)) {
      TakeCell(&line);
      const std::string_view name = TakeCell(&line);
      BeginSparkPageThread(name, TakeCell(&line));
      return true;
    }
    // Below a complete dump, its threads are there already.
    if (!has_dump_ && IsDeadlockedThread(line)) {
      EndThread();
      in_thread_ = true;
      syntax_ = Syntax::kJava;
      thread_.time_ns = time_ns_;
      thread_.is_runnable = false;
      thread_.thread.name = std::string(line.substr(1, line.size() - 3));
      return true;
    }
    const bool is_java = IsHotSpotThread(line) || IsManagementThread(line), is_dump_to_file = IsDumpToFileThread(line);
    const bool is_agent = IsAgentThread(line), is_mixed = IsMixedThread(line);
    const bool is_fault_handler = IsFaultHandlerThread(line), is_py_spy = !is_agent && IsPySpyThread(line);
    const bool is_stack_dump = IsStackDumpThread(line), is_python = is_fault_handler || is_py_spy || is_stack_dump;
    if (!is_java && !is_dump_to_file && !is_agent && !is_mixed && !is_python) return false;
    EndThread();
    in_thread_ = true;
    syntax_ = Syntax::kJava;
    thread_.time_ns = is_python ? kNoTime : time_ns_;
    has_dump_ = true;
    if (is_java) BeginJavaThread(line);
    if (is_dump_to_file) BeginDumpToFileThread(line);
    if (is_fault_handler) BeginFaultHandlerThread(line);
    if (is_py_spy) BeginPySpyThread(line);
    if (is_stack_dump) BeginStackDumpThread(line);
    if (is_agent || is_mixed) {
      thread_.thread.tid = NumberBehind(line, is_agent ? "Thread " : "- ");
      thread_.thread.name = fmt::format("thread {}", thread_.thread.tid);
      // A state of HotSpot's: IN_JAVA, IN_NATIVE, IN_VM, BLOCKED. Mixed dumps have none for the JVM's own threads.
      thread_.is_runnable = Has(line, "= IN_");
    }
    return true;
  }

  Result<void> Expect(std::string_view what) {
    return builder_->Damaged(fmt::format("line {}: expected {}", line_number_, what));
  }

  void Push(const Frame& frame) { thread_.leaf_first.push_back(builder_->profile().frames.Intern(frame)); }

  Result<void> AddJavaFrame(std::string_view text) {
    StringTable& strings = builder_->profile().strings;
    if (text.starts_with("- ")) {
      // Otherwise a lock.
      if (const std::optional<Frame> frame = ParseAgentFrame(text.substr(2), &strings)) Push(*frame);
      return {};
    }
    // Before JDK 24, frames of dump_to_file have no "at".
    const bool has_at = text.starts_with("at ");
    if (!has_at && syntax_ != Syntax::kDumpToFile) return {};
    if (has_at) text.remove_prefix(3);
    // A table of the Spark UI has all frames on one line, and "=> holding Monitor(…)" behind some.
    while (!text.empty()) {
      const size_t close = has_at ? std::string_view::npos : text.find(") ");
      const std::string_view one = text.substr(0, close == std::string_view::npos ? close : close + 1);
      text = close == std::string_view::npos ? std::string_view() : Trim(text.substr(close + 1));
      if (one.starts_with("=> holding ")) continue;
      if (!has_at && IsDigit(one[0])) return {};  // a row over two lines follows
      const std::optional<Frame> frame = ParseJavaFrame(one, &strings);
      if (!frame) return Expect("at CLASS.METHOD(FILE:LINE)");
      Push(*frame);
    }
    return {};
  }

  // faulthandler: `File "/x/job.py", line 12 in burn`; Python's stack dumps: `File "/x/job.py", line 12, in burn`,
  // without a line `File "/x/job.py", in burn`.
  bool AddFileFrame(std::string_view text) {
    constexpr std::string_view kLine = "\", line ", kIn = " in ", kOpcode = "  opcode=";
    const size_t close = text.find('"', 6);
    if (close == std::string_view::npos) return false;
    std::string_view behind = text.substr(close);
    behind = behind.substr(0, behind.rfind(kOpcode));
    const size_t in = behind.find(kIn);
    if (in == std::string_view::npos) return false;
    const bool has_line = behind.starts_with(kLine);
    if (!has_line && syntax_ != Syntax::kStackDump) return false;
    thread_.leaf_first.push_back(builder_->AddFrame(behind.substr(in + kIn.size()), FrameKind::kPython,
                                                    text.substr(6, close - 6),
                                                    has_line ? LineNumberAt(behind.substr(kLine.size())) : 0));
    return true;
  }

  // py-spy: "burn (job.py:12)", native "poll (libc.so.6)".
  void AddPySpyFrame(std::string_view text) {
    const size_t open = text.rfind(" (");
    if (open == std::string_view::npos || !text.ends_with(')')) return;
    const std::string_view name = text.substr(0, open), place = text.substr(open + 2, text.size() - open - 3);
    const size_t colon = place.rfind(':');
    thread_.leaf_first.push_back(colon == std::string_view::npos
                                     ? builder_->AddFrame(name, FrameKind::kNative)
                                     : builder_->AddFrame(name, FrameKind::kPython, place.substr(0, colon),
                                                          LineNumberAt(place.substr(colon + 1))));
  }

  Result<void> AddPythonFrame(std::string_view line) {
    constexpr std::string_view kFile = "File \"";
    const std::string_view text = Trim(line);
    const size_t indentation = line.find_first_not_of(' ');
    if (syntax_ == Syntax::kStackDump) {
      // Behind four blanks is the line of the source.
      if (indentation != 2) return {};
      if (!text.starts_with(kFile)) {
        thread_.leaf_first.push_back(builder_->AddFrame(text.substr(0, text.rfind("  opcode=")), FrameKind::kNative));
        return {};
      }
    }
    if (text.starts_with(kFile)) {
      return AddFileFrame(text) ? Result<void>() : Expect("File \"FILE\", line NUMBER in FUNCTION");
    }
    // Local variables are further in.
    if (indentation == 4) AddPySpyFrame(text);
    return {};
  }

  Result<void> AddFrame(std::string_view line) {
    const std::string_view text = Trim(line);
    if (syntax_ == Syntax::kPython || syntax_ == Syntax::kStackDump) return AddPythonFrame(line);
    if (IsMixedFrame(line)) {
      Push(ParseMixedFrame(Trim(line.substr(line.find('\t'))), &builder_->profile().strings));
      return {};
    }
    if (text.starts_with("java.lang.Thread.State:")) {
      thread_.is_runnable = Has(text, "RUNNABLE");
    } else if (text == "...") {
      thread_.is_truncated = true;  // by ThreadInfo
    } else if (text.starts_with("Mounted virtual thread #")) {
      BeginMountedThread(text);
    } else {
      return AddJavaFrame(text);
    }
    return {};
  }

  void EndThread() {
    if (std::exchange(in_thread_, false)) {
      found_any_ = true;
      if (syntax_ == Syntax::kStackDump) std::reverse(thread_.leaf_first.begin(), thread_.leaf_first.end());
      samples_.Add(thread_);
    }
    thread_ = {};
  }

  ProfileBuilder* builder_;
  ThreadSamples samples_;
  uint64_t line_number_ = 0;
  std::string line_before_;
  bool in_thread_ = false;
  bool found_any_ = false;
  bool has_dump_ = false;  // threads besides those of a deadlock
  Syntax syntax_ = Syntax::kJava;
  int64_t time_ns_ = kNoTime;  // time of the dump
  int64_t process_ = 0;        // process named by the dump
  bool has_new_time_ = false;  // printed since the last dump began
  DumpedThread thread_;
};

}  // namespace

bool LooksLikeThreadDumpText(std::string_view head) {
  if (Has(head, "Full thread dump ") || Has(head, kFaultHandler) ||
      Has(head, "Java stack information for the threads listed above"))
    return true;
  std::string_view before;
  bool after_mixed = false;
  while (!head.empty()) {
    const std::string_view line = WithoutCarriageReturn(TakeLine(&head));
    if (IsPySpyThread(line) || IsManagementThread(line) || IsDumpToFileThread(line) || IsAgentThread(line) ||
        IsStackDumpThread(line) || IsSparkPageThread(line) || IsSparkPageThread(before, line)) {
      return true;
    }
    if (IsHotSpotThread(line) && (Has(line, " tid=") || Has(line, " nid="))) return true;
    if (after_mixed && IsMixedFrame(line)) return true;
    after_mixed = IsMixedThread(line);
    before = line;
  }
  return false;
}

Result<void> ReadThreadDumpText(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  return ReadLines<ThreadDumpTextReader>(std::move(source), builder);
}

}  // namespace sparkprof
