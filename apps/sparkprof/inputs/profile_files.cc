// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/io/byte_source.h"
#include "base/io/compression.h"
#include "base/io/file.h"
#include "formats/profile_formats.h"
#include "inputs/archive.h"
#include "inputs/content_kind.h"
#include "inputs/profile_input.h"
#include "output/print_problems.h"
#include "recording/recordings.h"
#include "verb.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

bool StartsAsRecording(const std::string& path) {
  auto source = OpenFileSource(path);
  std::optional<Error> damage;
  return source && ReadUpTo(source->get(), 4, &damage) == "SPRF";
}

bool IsFileArchive(std::string_view head) {
  const ArchiveKind kind = DetectArchive(head, {});
  return kind == ArchiveKind::kZip || kind == ArchiveKind::kTar;
}

// The profiles below a folder or in an archive, by path; sets `why_empty` if there are none. nullopt if it contains
// recordings, which are read as one.
Result<std::optional<std::vector<ProfileFile>>> ProfilesIn(const std::string& path, const std::string& format,
                                                           std::string* why_empty) {
  InputLimits limits;
  limits.detect = [&](std::string_view head) -> Result<InputKind> {
    if (head.starts_with("SPRF")) return InputKind::kRecording;
    if (format.empty() ? RecognizeProfileFormat(head) != nullptr : !head.empty()) return InputKind::kProfile;
    return Fail(std::string(head.empty() ? "empty" : FoundInstead(head)));
  };
  Result<Inputs> found = FindInputs({path}, limits);
  if (!found) return tl::unexpected(found.error());
  const bool is_folder = fs::is_directory(path);
  const auto is_recording = [](const std::string& file) { return file.ends_with(".sprof"); };
  if (!found->Of(InputKind::kRecording).empty() ||
      std::any_of(found->inputs.begin(), found->inputs.end(),
                  [&](const Input& one) { return is_recording(one.path); }) ||
      std::any_of(found->unrecognized.begin(), found->unrecognized.end(),
                  [&](const Unrecognized& one) { return is_recording(one.path); })) {
    return std::nullopt;
  }
  std::vector<ProfileFile> files;
  for (Input& input : found->inputs) {
    if (input.kind == InputKind::kProfile) files.push_back({.path = input.path, .entry = std::move(input)});
  }
  for (const std::string& note : found->notes) Complain(note);
  const std::vector<Unrecognized>& skipped = found->unrecognized;
  std::string first;
  if (!skipped.empty()) {
    const std::string& reason = skipped.front().reason;
    first = reason.starts_with(skipped.front().path) ? reason : fmt::format("{}: {}", skipped.front().path, reason);
  }
  if (files.empty()) {
    const std::string_view kind = is_folder ? "folder" : "archive";
    *why_empty = DescribeEventLog(path);
    if (why_empty->empty()) {
      *why_empty = skipped.empty()
                       ? fmt::format("{}: empty {}, expected recordings or profiles", path, kind)
                       : fmt::format("{}: no recordings or profiles in this {}; skipped {} files, the first: {}", path,
                                     kind, skipped.size(), first);
    }
    return files;
  }
  if (!skipped.empty()) {
    Complain(fmt::format("{}: skipped {} files that are not profiles, the first: {}", path, skipped.size(), first));
  }
  return files;
}

}  // namespace

Result<std::unique_ptr<ByteSource>> ProfileFile::Open() const {
  if (entry) return entry->Open();
  auto source = OpenFileSource(path == "-" ? "/dev/stdin" : path);
  if (!source) return source;
  const std::string name = path == "-" ? "standard input" : path;
  return DecodeText(Decompress(std::move(*source), name), name);
}

bool IsRecording(const std::string& path, const std::string& format) {
  if (!format.empty()) return format == kRecordingFormat;
  std::error_code error;
  if (path == "-") return false;
  if (path.ends_with(".sprof") || fs::is_directory(path, error)) return true;
  return fs::is_regular_file(path, error) && StartsAsRecording(path);
}

bool AreOtherContent(const std::vector<std::string>& paths) {
  return AreReadable(paths) && std::none_of(paths.begin(), paths.end(), [](const std::string& path) {
           std::error_code error;
           if (!fs::is_directory(path, error)) return StartsAsRecording(path);
           const Result<std::vector<std::string>> files = RecordingsBelow(path);
           return !files || std::any_of(files->begin(), files->end(), StartsAsRecording);
         });
}

bool IsArchive(const std::string& path) {
  constexpr size_t kHeader = 512;
  std::error_code status;
  if (path.ends_with(".sprof") || !fs::is_regular_file(path, status)) return false;
  auto source = OpenFileSource(path);
  if (!source) return false;
  std::optional<Error> error;
  std::string head = ReadUpTo(source->get(), kHeader, &error);
  if (IsFileArchive(head)) return true;
  if (DetectCodec(head) == Codec::kNone) return false;
  source = Decompress(HeadedSource(std::move(head), std::move(error), std::move(*source)), path);
  return IsFileArchive(ReadUpTo(source->get(), kHeader, &error));
}

std::string DescribeEventLog(const std::string& path) {
  const Result<Inputs> found = path == "-" ? Inputs() : FindInputs({path});
  if (!found) return {};
  for (const Input& input : found->inputs) {
    if (input.kind != InputKind::kEventLog) continue;
    return fmt::format("{}: an event log, which has no samples; `sparkprof analyze` and `sparkprof show` read it",
                       input.path);
  }
  return {};
}

std::string_view FoundInstead(std::string_view head) {
  const std::string_view unread = NameOfUnreadFormat(head);
  return unread.empty() ? DescribeUnread(head) : unread;
}

Result<ProfileFiles> FindProfiles(const std::vector<std::string>& paths, const std::string& format) {
  ProfileFiles all{.paths = paths, .files = {}};
  for (const std::string& path : paths) {
    std::error_code error;
    if (format != kRecordingFormat && (fs::is_directory(path, error) || IsArchive(path))) {
      Result<std::optional<std::vector<ProfileFile>>> found = ProfilesIn(path, format, &all.why_empty);
      if (!found) return tl::unexpected(found.error());
      if (!all.why_empty.empty()) return all;
      if (*found) {
        all.of_one_group = all.of_one_group || (*found)->size() > 1;
        std::move((*found)->begin(), (*found)->end(), std::back_inserter(all.files));
      } else {
        all.files.push_back({.path = path, .entry = {}, .is_recording = true});
      }
      continue;
    }
    all.files.push_back({.path = path, .entry = {}, .is_recording = IsRecording(path, format)});
  }
  return all;
}

}  // namespace sparkprof
