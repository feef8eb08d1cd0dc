// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/byte_source.h"
#include "base/io/compression.h"
#include "base/result.h"
#include "inputs/fragment_kind.h"

namespace sparkprof {

// The type of a file, detected from its content.
enum class InputKind : uint8_t {
  kEventLog,        // Spark's JSON events, one per line
  kTextLog,         // log4j-like lines, or other output of a driver, an executor or a container
  kStructuredLog,   // Spark 4's JSON log lines ("ts", "level", "msg", …)
  kUberRecords,     // jvm-profiler's JSON records, one per line; may contain PySpark records
  kPySparkRecords,  // PySpark cpu/mem and stack records, one per line; may contain jvm-profiler's
  kConsole,         // a text log with profiler records between its lines
  kBabar,           // babar.log: "BABAR\tcontainer\tmetric\ttime\tvalue…" lines
  kLineage,         // OpenLineage events, one per line
  kRecording,       // .sprof
  kProfile,         // a foreign profile (JFR, collapsed, pprof, …) that RecognizeProfileFormat detects
  kFragment,        // no log and no profile, see Input::fragment
  kUnknown,         // listed in Inputs::unrecognized, with the reason
};
inline constexpr InputKind kAllInputKinds[] = {
    InputKind::kEventLog,       InputKind::kTextLog, InputKind::kStructuredLog, InputKind::kUberRecords,
    InputKind::kPySparkRecords, InputKind::kConsole, InputKind::kBabar,         InputKind::kLineage,
    InputKind::kRecording,      InputKind::kProfile, InputKind::kFragment};  // recognized kinds
std::string_view InputKindName(InputKind kind);                              // "event log"
bool IsLog(InputKind kind);                                                  // has lines of a log
bool MayHoldRecords(InputKind kind);  // profiler records, which may start anywhere in a text log

using OpenBytes = std::function<Result<std::unique_ptr<ByteSource>>()>;

// One file of an input, or one log inside an archive.
struct InputPart {
  std::string path;  // "logs.zip!eventlog_v2_app/events_1_app.zstd"
  OpenBytes open;    // as stored, possibly compressed
};

// Container runtime's envelope around each line; Open() removes it.
enum class LineWrapping : uint8_t { kNone, kCri, kDockerJson };

// An input: a file, a log inside an archive, or all files of a rolled event log in order. Text that the path does not
// contain is empty.
struct Input {
  std::string path;  // for display; the folder of a rolled event log
  InputKind kind = InputKind::kUnknown;
  LineWrapping wrapping = LineWrapping::kNone;
  std::string application_id;  // "application_1603128018386_7846", "local-1532512550423", …
  std::string attempt;         // Spark's attempt ID; event logs only
  std::string container;       // "container_e17_1603128018386_7846_01_000002", or a pod name
  std::string executor;        // Spark's executor ID; "driver" if the path belongs to the driver
  std::string host;
  std::string stream;  // "stdout", "stderr", "syslog", …: the log's name without rotation and compression suffixes
  bool in_progress = false;         // an event log with this suffix in its name
  bool begins_application = false;  // an event log whose first events start the application; see ApplicationStart
  std::string gap;                  // missing part of a rolled event log: "part 2 is missing"
  int64_t rollover = -1;            // Databricks' number of a file of an event log, from 0; -1 = none
  const FragmentType* fragment = nullptr;  // kind of a kFragment, a thread dump, or a text log; null = none
  std::string_view seems;                  // for a text log without log lines: "Python code"; empty = it has log lines
  int64_t size = 0;                        // bytes as stored
  int64_t changed_ns = 0;        // last change of the file, or of the archive that contains it, since the Unix epoch
  std::vector<InputPart> parts;  // at least one; read in this order
  ExpansionLimits limits;

  // All parts as one stream, without compression and, unless `as_written`, envelopes. A damaged or truncated part is
  // read as far as possible, and the next part starts on a new line; the first such error is reported at the end.
  Result<std::unique_ptr<ByteSource>> Open(bool as_written = false) const;
};

struct Unrecognized {
  std::string path;
  std::string reason;
};

struct Inputs {
  std::vector<Input> inputs;  // sorted by path
  std::vector<Unrecognized> unrecognized;
  std::vector<std::string> notes;  // files skipped because of a limit, or replaced by a compacted one
  int64_t files = 0;               // number of inspected files, including those inside archives

  std::vector<const Input*> Of(InputKind kind) const;
};

struct InputLimits {
  int64_t max_files = 1'000'000;                     // --max-files; includes files inside archives
  int max_depth = 64;                                // depth of folders below a path
  int max_archive_depth = 3;                         // nesting of archives
  size_t max_inner_archive_bytes = size_t{1} << 30;  // size limit of a nested archive, which is read into memory
  bool divide_yarn_text = true;  // false = treat the output of `yarn logs` as one log, not as the logs in it
  // Replaces the detection: returns the kind of content that starts with `head` (decompressed), or the reason why it
  // has none.
  std::function<Result<InputKind>(std::string_view head)> detect;
  ExpansionLimits expansion;
};

// Finds all inputs below `paths` (files and folders, "-" and other pipes). Follows symbolic links, reads each file
// once. Fails only if one of `paths` itself is unreadable; other skipped files are listed.
Result<Inputs> FindInputs(const std::vector<std::string>& paths, const InputLimits& limits = {});

}  // namespace sparkprof
