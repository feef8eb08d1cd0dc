// SPDX-License-Identifier: Apache-2.0
#include "inputs/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "base/io/byte_source.h"
#include "base/io/file.h"
#include "base/parallel.h"
#include "inputs/archive.h"
#include "inputs/content_kind.h"
#include "inputs/event_log_files.h"
#include "inputs/file_walk.h"
#include "inputs/line_wrapping.h"
#include "inputs/path_hints.h"

namespace sparkprof {
namespace {

class PartsSource : public ByteSource {
 public:
  explicit PartsSource(const Input& input) : parts_(input.parts), wrapping_(input.wrapping), limits_(input.limits) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    for (;;) {
      if (current_ == nullptr) {
        if (next_ == parts_.size()) return End();
        if (last_byte_ != '\n') {
          bytes[0] = last_byte_ = '\n';
          return 1;
        }
        OpenNext();
        continue;
      }
      const Result<size_t> got = current_->Read(bytes, size);
      if (!got) Keep(got.error());
      if (got && *got > 0) {
        last_byte_ = bytes[*got - 1];
        return got;
      }
      current_.reset();
    }
  }

 private:
  void OpenNext() {
    const InputPart& part = parts_[next_++];
    Result<std::unique_ptr<ByteSource>> opened = part.open();
    if (!opened) {
      Keep(opened.error());
      return;
    }
    current_ = UnwrapSource(wrapping_, DecodeText(Decompress(std::move(*opened), part.path, limits_), part.path));
  }

  void Keep(const Error& error) {
    if (!error_) error_ = error;
  }

  Result<size_t> End() {
    if (!error_) return 0;
    return tl::unexpected(*std::exchange(error_, std::nullopt));
  }

  const std::vector<InputPart> parts_;
  const LineWrapping wrapping_;
  const ExpansionLimits limits_;
  size_t next_ = 0;
  std::unique_ptr<ByteSource> current_;
  char last_byte_ = '\n';
  std::optional<Error> error_;
};

std::string_view FileName(std::string_view path) { return path.substr(path.find_last_of("/!") + 1); }
std::string_view FolderOf(std::string_view path) {
  return path.substr(0, std::min(path.find_last_of("/!"), path.size()));
}

// A file, or an entry of an archive.
struct Candidate {
  std::string path;
  int64_t size = 0;
  int64_t changed_ns = 0;
  bool named = false;
  std::string host;
  OpenBytes open;
  std::string file;  // path to open; empty = an archive entry
};

struct Finding {
  std::vector<Input> inputs;
  std::vector<Unrecognized> unrecognized;
  std::vector<std::string> notes;
  std::vector<std::string> folders_in_progress;  // folders of event logs in progress, according to their status files
};

Result<std::string> ReadTail(const Candidate& candidate) {
  const int64_t size = std::min<int64_t>(candidate.size, kArchiveTailBytes);
  Result<std::unique_ptr<ByteSource>> source = OpenFileSource(candidate.file, candidate.size - size, size);
  if (!source) return tl::unexpected(source.error());
  return ReadAll(source->get(), kArchiveTailBytes, candidate.path);
}

// Matches Hadoop's files beside a file: checksums, and for aggregated logs the length of the complete part.
bool IsChecksum(std::string_view file_name, std::string_view head) {
  return (file_name.ends_with(".crc") && head.starts_with(std::string_view("crc\0", 4))) ||
         (file_name.ends_with("-checksum") && head.size() == sizeof(int64_t));
}

class Examiner {
 public:
  Examiner(const InputLimits& limits, std::atomic<int64_t>* files)
      : limits_(limits), expansion_(limits.expansion), files_(files) {}

  void Examine(const Candidate& candidate, int depth, Finding* finding) {
    if (files_->fetch_add(1, std::memory_order_relaxed) >= limits_.max_files && candidate.file.empty()) {
      finding->unrecognized.push_back(
          {candidate.path, fmt::format("more than {} files, the limit of --max-files", limits_.max_files)});
      return;
    }
    Result<std::unique_ptr<ByteSource>> raw = candidate.open();
    if (!raw) {
      finding->unrecognized.push_back({candidate.path, raw.error().message});
      return;
    }
    std::optional<Error> error;
    std::string head = ReadUpTo(raw->get(), kContentHeadBytes, &error);
    const EventLogFileName name = ParseEventLogFileName(FileName(candidate.path));
    if (name.form == EventLogFileName::Form::kStatus && head.empty() && !error) {
      if (name.in_progress) finding->folders_in_progress.emplace_back(FolderOf(candidate.path));
      return;
    }
    if (IsChecksum(FileName(candidate.path), head)) return;
    if (!candidate.named && IsOwnFile(candidate.path, head)) return;
    if (ExamineArchive(candidate, head, depth, finding)) return;
    const Codec codec = DetectCodec(head);
    if (codec != Codec::kNone) {
      head = ReadUpTo(Decompress(HeadedSource(std::move(head), {}, std::move(*raw)), candidate.path, expansion_).get(),
                      kContentHeadBytes, &error);
      if (DetectArchive(head, {}) != ArchiveKind::kNone) {  // as in logs.tar.gz
        ExamineArchive(Decompressed(candidate), head, depth, finding);
        return;
      }
    }
    std::optional<Error> cut_unit;
    head = ReadUpTo(DecodeText(StringSource(std::move(head)), candidate.path).get(), kContentHeadBytes, &cut_unit);
    AddContent(candidate, name, head, codec, error, depth, finding);
  }

 private:
  Candidate Decompressed(Candidate candidate) const {
    candidate.file.clear();
    candidate.open = [open = candidate.open, path = candidate.path,
                      limits = expansion_]() -> Result<std::unique_ptr<ByteSource>> {
      Result<std::unique_ptr<ByteSource>> raw = open();
      if (!raw) return raw;
      return Decompress(std::move(*raw), path, limits);
    };
    return candidate;
  }

  // Returns true if the candidate is an archive. Then `finding` describes it completely.
  bool ExamineArchive(const Candidate& candidate, std::string_view head, int depth, Finding* finding) {
    ArchiveKind kind = DetectArchive(head, {});
    std::optional<SharedBytes> bytes;
    const bool may_have_footer = head.find('\0') != std::string_view::npos || (head.size() > 36 && head[36] == '\n');
    if (kind == ArchiveKind::kNone && may_have_footer && DetectCodec(head) == Codec::kNone) {
      if (!candidate.file.empty()) {
        const Result<std::string> tail = ReadTail(candidate);
        if (tail) kind = DetectArchive(head, *tail);
      } else {
        std::optional<Error> damage;
        Result<SharedBytes> read = ReadWhole(candidate, &damage);
        if (read && !damage) {
          bytes = *read;
          const size_t tail = std::min(bytes->bytes.size(), kArchiveTailBytes);
          kind = DetectArchive(head, bytes->bytes.substr(bytes->bytes.size() - tail));
        }
      }
    }
    if (kind == ArchiveKind::kNone) return false;
    if (depth >= limits_.max_archive_depth) {
      finding->unrecognized.push_back(
          {candidate.path, fmt::format("archives nested more than {} deep", limits_.max_archive_depth)});
      return true;
    }
    if (!bytes) {
      std::optional<Error> damage;
      Result<SharedBytes> read = ReadWhole(candidate, &damage);
      // Files before the damage of a tar are complete; a zip has its table at the end.
      if (damage && kind != ArchiveKind::kTar) read = tl::unexpected(*damage);
      if (!read || damage) {
        finding->unrecognized.push_back({candidate.path, read ? damage->message : read.error().message});
      }
      if (!read) return true;
      bytes = *read;
    }
    if (depth == 0) expansion_.whole = std::make_shared<ExpansionLimits::Whole>(candidate.size);
    AddEntries(candidate, ListArchive(kind, *bytes, candidate.path, expansion_), depth, finding);
    return true;
  }

  // `damage`: what truncated the content of an entry or a compressed file.
  Result<SharedBytes> ReadWhole(const Candidate& candidate, std::optional<Error>* damage) const {
    if (!candidate.file.empty()) {
      Result<MappedFile> file = MappedFile::Open(candidate.file);
      if (!file) return tl::unexpected(file.error());
      auto owner = std::make_shared<const MappedFile>(std::move(*file));
      return SharedBytes{owner, owner->Bytes()};
    }
    Result<std::unique_ptr<ByteSource>> source = candidate.open();
    if (!source) return tl::unexpected(source.error());
    const size_t limit = limits_.max_inner_archive_bytes;
    std::string all = ReadUpTo(source->get(), limit + 1, damage);
    if (all.size() > limit) return Fail(fmt::format("{}: more than {} bytes", candidate.path, limit));
    auto owner = std::make_shared<const std::string>(std::move(all));
    return SharedBytes{owner, *owner};
  }

  void AddEntries(const Candidate& candidate, Result<Archive> archive, int depth, Finding* finding) {
    if (!archive) {
      finding->unrecognized.push_back({candidate.path, archive.error().message});
      return;
    }
    if (archive->entries.empty() && archive->damaged.empty()) {
      finding->unrecognized.push_back({candidate.path, "an archive without files"});
    }
    for (Unrecognized& damaged : archive->damaged) {
      finding->unrecognized.push_back({candidate.path + "!" + damaged.path, std::move(damaged.reason)});
    }
    for (ArchiveEntry& entry : archive->entries) {
      Examine({.path = candidate.path + "!" + entry.name,
               .size = entry.size,
               .changed_ns = candidate.changed_ns,
               .host = entry.host.empty() ? candidate.host : entry.host,
               .open = std::move(entry.open)},
              depth + 1, finding);
    }
  }

  void AddContent(const Candidate& candidate, const EventLogFileName& name, std::string_view head, Codec codec,
                  const std::optional<Error>& error, int depth, Finding* finding) {
    const std::string_view file_name = FileName(candidate.path);
    ContentKind content;
    if (limits_.detect) {
      const Result<InputKind> kind = limits_.detect(head);
      content.kind = kind.value_or(InputKind::kUnknown);
      if (!kind) content.problem = kind.error().message;
    } else {
      content = DetectContent(head, candidate.named || IsLogName(file_name));
    }
    if (content.is_yarn_text && !limits_.divide_yarn_text) {
      content.kind = InputKind::kTextLog;
    } else if (content.is_yarn_text || content.is_notebook) {
      const auto open = [open = candidate.open, path = candidate.path,
                         limits = expansion_]() -> Result<std::unique_ptr<ByteSource>> {
        Result<std::unique_ptr<ByteSource>> raw = open();
        if (!raw) return raw;
        return DecodeText(Decompress(std::move(*raw), path, limits), path);
      };
      const size_t first = finding->inputs.size();
      AddEntries(candidate, content.is_notebook ? ListNotebook(open) : ListYarnText(open), depth, finding);
      if (content.is_notebook) return;
      for (size_t row = first; row < finding->inputs.size(); ++row) finding->inputs[row].fragment = content.fragment;
      return;
    }
    // An unreadable file of a rolled log is still one of its parts; reading reports the error.
    const bool is_part =
        name.form == EventLogFileName::Form::kRolled && FileName(FolderOf(candidate.path)).starts_with("eventlog_v2_");
    if (content.kind == InputKind::kUnknown && is_part) content.kind = InputKind::kEventLog;
    if (content.kind == InputKind::kUnknown) {
      std::string reason = error ? error->message : content.problem;
      if (!error && codec != Codec::kNone) reason = fmt::format("{}-compressed: {}", CodecName(codec), reason);
      finding->unrecognized.push_back({candidate.path, std::move(reason)});
      return;
    }
    Input input;
    AddPathHints(candidate.path, &input);
    input.path = candidate.path;
    input.kind = content.kind;
    input.wrapping = content.wrapping;
    input.fragment = content.fragment;
    input.seems = content.seems;
    if (input.host.empty()) input.host = candidate.host;
    input.size = candidate.size;
    input.changed_ns = candidate.changed_ns;
    input.limits = expansion_;
    if (content.kind == InputKind::kEventLog) {
      if (std::string id = TextAfter(head, "\"App ID\""); !id.empty()) input.application_id = std::move(id);
      if (std::string id = TextAfter(head, "\"App Attempt ID\""); !id.empty()) input.attempt = std::move(id);
      input.rollover = NumberAfter(head.substr(0, head.find('\n')), "\"Rollover Number\"").value_or(-1);
      if (IsApplicationInContent(candidate.path)) AddStart(candidate, head, &input);
    }
    input.parts.push_back({candidate.path, candidate.open});
    finding->inputs.push_back(std::move(input));
  }

  // Finds the start of an application in an event log that begins with `head`.
  void AddStart(const Candidate& candidate, std::string_view head, Input* input) const {
    ApplicationStart start = FindApplicationStart(head);
    if (start.state == ApplicationStart::State::kUnknown && head.size() == kContentHeadBytes) {
      if (Result<std::unique_ptr<ByteSource>> raw = candidate.open()) {
        start = ReadApplicationStart(
            DecodeText(Decompress(std::move(*raw), candidate.path, expansion_), candidate.path).get());
      }
    }
    input->begins_application = start.state == ApplicationStart::State::kBegins;
    if (!input->begins_application) return;
    input->application_id = std::move(start.id);
    input->attempt = std::move(start.attempt);
  }

  const InputLimits& limits_;
  ExpansionLimits expansion_;
  std::atomic<int64_t>* files_;
};

template <typename T>
void MoveAll(std::vector<T>* from, std::vector<T>* to) {
  to->insert(to->end(), std::make_move_iterator(from->begin()), std::make_move_iterator(from->end()));
}

// Returns one finding per file, in order.
std::vector<Finding> ExamineAll(const std::vector<WalkedFile>& files, const InputLimits& limits,
                                std::atomic<int64_t>* count) {
  std::vector<Finding> findings(files.size());
  constexpr size_t kFilesAThread = 16;
  const size_t threads = std::min<size_t>(std::thread::hardware_concurrency(), files.size() / kFilesAThread);
  ForEachInParallel(files.size(), std::max<size_t>(1, threads), [&](size_t row) {
    const WalkedFile& file = files[row];
    const Candidate candidate{.path = file.path,
                              .size = file.size,
                              .changed_ns = file.changed_ns,
                              .named = file.named,
                              .host = {},
                              .open = [file = file.file, copy = file.pipe_copy] { return OpenFileSource(file); },
                              .file = file.file};
    Examiner(limits, count).Examine(candidate, 0, &findings[row]);
  });
  return findings;
}

}  // namespace

std::string_view InputKindName(InputKind kind) {
  switch (kind) {
    case InputKind::kEventLog:
      return "event log";
    case InputKind::kTextLog:
      return "text log";
    case InputKind::kStructuredLog:
      return "structured log";
    case InputKind::kUberRecords:
      return "jvm-profiler records";
    case InputKind::kPySparkRecords:
      return "PySpark records";
    case InputKind::kConsole:
      return "console with profiler records";
    case InputKind::kBabar:
      return "babar log";
    case InputKind::kLineage:
      return "OpenLineage events";
    case InputKind::kRecording:
      return "recording";
    case InputKind::kProfile:
      return "profile";
    case InputKind::kFragment:
      return "fragment";
    case InputKind::kUnknown:
      break;
  }
  return "unknown";
}

bool IsLog(InputKind kind) {
  return kind == InputKind::kTextLog || kind == InputKind::kStructuredLog || kind == InputKind::kConsole;
}

bool MayHoldRecords(InputKind kind) {
  return kind == InputKind::kUberRecords || kind == InputKind::kPySparkRecords || kind == InputKind::kConsole ||
         kind == InputKind::kBabar || kind == InputKind::kTextLog;
}

Result<std::unique_ptr<ByteSource>> Input::Open(bool as_written) const {
  if (as_written && wrapping != LineWrapping::kNone) {
    Input unwrapped = *this;
    unwrapped.wrapping = LineWrapping::kNone;
    return unwrapped.Open();
  }
  if (parts.size() == 1) {
    Result<std::unique_ptr<ByteSource>> raw = parts[0].open();
    if (!raw) return raw;
    return UnwrapSource(wrapping, DecodeText(Decompress(std::move(*raw), parts[0].path, limits), parts[0].path));
  }
  return std::make_unique<PartsSource>(*this);
}

std::vector<const Input*> Inputs::Of(InputKind kind) const {
  std::vector<const Input*> of_kind;
  for (const Input& input : inputs) {
    if (input.kind == kind) of_kind.push_back(&input);
  }
  return of_kind;
}

Result<Inputs> FindInputs(const std::vector<std::string>& paths, const InputLimits& limits) {
  Result<Walk> walk = WalkFiles(paths, limits);
  if (!walk) return tl::unexpected(walk.error());
  Inputs all;
  all.unrecognized = std::move(walk->left_out);
  all.notes = std::move(walk->notes);
  std::atomic<int64_t> files = 0;
  std::set<std::string> in_progress;
  for (Finding& finding : ExamineAll(walk->files, limits, &files)) {
    MoveAll(&finding.inputs, &all.inputs);
    MoveAll(&finding.unrecognized, &all.unrecognized);
    MoveAll(&finding.notes, &all.notes);
    in_progress.insert(finding.folders_in_progress.begin(), finding.folders_in_progress.end());
  }
  all.files = files;
  for (Input& input : all.inputs) {
    if (input.kind == InputKind::kEventLog && in_progress.contains(std::string(FolderOf(input.path)))) {
      input.in_progress = true;
    }
  }
  const auto by_path = [](const auto& a, const auto& b) { return a.path < b.path; };
  GroupEventLogs(&all.inputs, &all.notes);
  std::stable_sort(all.inputs.begin(), all.inputs.end(), by_path);
  std::stable_sort(all.unrecognized.begin(), all.unrecognized.end(), by_path);
  return all;
}

}  // namespace sparkprof
