// SPDX-License-Identifier: Apache-2.0
#include "loader/source_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <unordered_map>

#include "base/io/file.h"
#include "base/text/text.h"
#include "profiles/frame_origin.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

// Paths below the folder, by file name.
using PathsByName = std::unordered_map<std::string, std::vector<std::string>>;

Result<PathsByName> ListFiles(const std::string& folder, const std::unordered_map<std::string, size_t>& wanted,
                              size_t most, bool* complete) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  if (error) return Fail(fmt::format("cannot read the folder {}: {}", folder, error.message()));
  PathsByName paths;
  size_t seen = 0;
  for (const fs::recursive_directory_iterator end; entry != end; entry.increment(error)) {
    if (error || ++seen > most) {
      *complete = false;
      break;
    }
    const std::string name = entry->path().filename().string();
    const fs::file_status status = entry->symlink_status(error);
    if (fs::is_directory(status) && name.starts_with('.')) entry.disable_recursion_pending();
    if (fs::is_regular_file(status) && wanted.contains(name)) {
      paths[name].push_back(entry->path().lexically_relative(folder).string());
    }
  }
  return paths;
}

// nullopt if it is no longer a regular file, too large, or not text.
std::optional<std::string> ReadText(const std::string& path, size_t most) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  if (!file.IsOpen() || fstat(file.Get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (status.st_size < 0 || static_cast<size_t>(status.st_size) > most) return std::nullopt;
  std::string text(static_cast<size_t>(status.st_size), '\0');
  size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = read(file.Get(), text.data() + filled, text.size() - filled);
    if (got <= 0) break;
    filled += static_cast<size_t>(got);
  }
  text.resize(filled);
  if (text.find('\0') != std::string::npos) return std::nullopt;
  return text;
}

// Number of folders directly above the file that both paths share.
size_t SharedFolders(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  size_t shared = 0;
  while (shared + 1 < std::min(a.size(), b.size()) && a[a.size() - 2 - shared] == b[b.size() - 2 - shared]) ++shared;
  return shared;
}

// Expected location of a frame's file: the folders of its package or path, then its name.
struct Expected {
  std::string path;
  bool is_jvm = false;
  bool is_user = false;
};

bool IsJvm(FrameKind kind) {
  return kind == FrameKind::kJit || kind == FrameKind::kInterpreted || kind == FrameKind::kInlined;
}

// "org/example/Job.scala" for the method "org.example.Job$.run" in "Job.scala".
std::string PathOfClass(std::string_view method, std::string_view file) {
  std::string path(method);
  std::replace(path.begin(), path.end(), '.', '/');
  for (int last = 0; last < 2; ++last) {  // the method, then the class
    const size_t slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
  }
  if (!path.empty()) path += '/';
  return path + std::string(file);
}

// Whether the "package" lines of a Scala, Java or Kotlin file match the folders of `path`.
bool DeclaresPackageOf(std::string_view text, std::string_view path) {
  constexpr size_t kHead = 16384;
  constexpr std::string_view kWord = "package ";
  std::string declared;
  for (const std::string_view line : Split(text.substr(0, kHead), '\n')) {
    std::string_view rest = Trim(line);
    if (!rest.starts_with(kWord) || rest.starts_with("package object")) continue;
    rest = Trim(rest.substr(kWord.size()));
    while (!rest.empty() && (rest.back() == ';' || rest.back() == '{')) rest = Trim(rest.substr(0, rest.size() - 1));
    declared += (declared.empty() ? "" : ".") + std::string(rest);
  }
  std::replace(declared.begin(), declared.end(), '.', '/');
  return (declared.empty() ? std::string() : declared + "/") == path.substr(0, path.rfind('/') + 1);
}

class Finder {
 public:
  Finder(std::string folder, const std::function<std::string(std::string_view)>& redact, const SourceLimits& limits)
      : folder_(std::move(folder)), redact_(redact), limits_(limits) {}

  // The row of the file for frames that expect it there; -1 = none.
  int32_t Find(const Expected& expected, const std::vector<std::string>& paths, SourceFiles* found);

  std::string LeftOut() const;

 private:
  // The candidates that share most folders with the expected path.
  std::vector<std::string> Best(const Expected& expected, const std::vector<std::string>& paths) const;
  // The row of a file, which is read if new; -1 = omitted.
  int32_t Load(const std::string& path, SourceFiles* found);

  const std::string folder_;
  const std::function<std::string(std::string_view)>& redact_;
  const SourceLimits limits_;
  std::unordered_map<std::string, int32_t> rows_;  // by path; -1 = omitted
  size_t bytes_ = 0;
  size_t ambiguous_ = 0, too_much_ = 0, secret_ = 0;
};

std::vector<std::string> Finder::Best(const Expected& expected, const std::vector<std::string>& paths) const {
  const std::vector<std::string_view> wanted = Split(expected.path, '/');
  std::vector<std::string> best;
  size_t most = 0;
  for (const std::string& path : paths) {
    const size_t shared = SharedFolders(Split(path, '/'), wanted);
    if (shared > most) best.clear();
    most = std::max(most, shared);
    if (shared == most) best.push_back(path);
  }
  return best;
}

int32_t Finder::Find(const Expected& expected, const std::vector<std::string>& paths, SourceFiles* found) {
  std::vector<std::string> best = Best(expected, paths);
  const auto folders = static_cast<size_t>(std::count(expected.path.begin(), expected.path.end(), '/'));
  const size_t shared = SharedFolders(Split(best[0], '/'), Split(expected.path, '/'));
  if (expected.is_jvm && (shared < folders || folders == 0)) {
    // Scala folders need not match packages.
    std::erase_if(best, [&](const std::string& path) {
      const std::optional<std::string> text = ReadText(folder_ + "/" + path, limits_.file_bytes);
      return !text || !DeclaresPackageOf(*text, expected.path);
    });
  } else if (!expected.is_jvm && shared == 0 && !expected.is_user) {
    return -1;  // a library's file with the same name
  }
  if (best.empty()) return -1;
  if (best.size() > 1) {
    ++ambiguous_;
    return -1;
  }
  return Load(best[0], found);
}

int32_t Finder::Load(const std::string& path, SourceFiles* found) {
  const auto [known, is_new] = rows_.try_emplace(path, -1);
  if (!is_new) return known->second;
  const std::optional<std::string> text = ReadText(folder_ + "/" + path, limits_.file_bytes);
  if (!text || bytes_ + text->size() > limits_.all_bytes) {
    ++too_much_;
    return -1;
  }
  std::string shown = redact_(*text);
  // Redacting a secret that spans lines would shift the following lines.
  if (std::count(shown.begin(), shown.end(), '\n') != std::count(text->begin(), text->end(), '\n')) {
    ++secret_;
    return -1;
  }
  bytes_ += shown.size();
  known->second = static_cast<int32_t>(found->files.size());
  found->files.push_back({path, std::move(shown)});
  return known->second;
}

std::string Finder::LeftOut() const {
  std::string text;
  const auto add = [&](size_t count, std::string_view why) {
    if (count == 0) return;
    text +=
        fmt::format("{}{} source {} left out: {}.", text.empty() ? "" : " ", count, count == 1 ? "file" : "files", why);
  };
  add(ambiguous_, "several files fit equally well");
  add(too_much_, fmt::format("not readable as text, larger than {}, or beyond {} in all",
                             FormatBytes(static_cast<int64_t>(limits_.file_bytes)),
                             FormatBytes(static_cast<int64_t>(limits_.all_bytes))));
  add(secret_, "it contains a secret of several lines");
  return text;
}

}  // namespace

Result<SourceFiles> FindSources(const Profile& profile, const std::string& folder,
                                const std::function<std::string(std::string_view)>& redact,
                                const SourceLimits& limits) {
  struct WantedFrame {
    FrameId frame = 0;
    std::string name;
    Expected expected;
  };
  std::vector<WantedFrame> frames;
  std::unordered_map<std::string, size_t> wanted;
  for (FrameId id = 1; id < profile.frames.Size(); ++id) {
    const Frame& frame = profile.frames.Get(id);
    const std::string_view name = profile.strings.Get(frame.name), file = profile.strings.Get(frame.file);
    if (frame.line == 0 || file.empty()) continue;
    WantedFrame one{.frame = id, .name = std::string(file.substr(file.rfind('/') + 1)), .expected = {}};
    one.expected = {.path = IsJvm(frame.kind) ? PathOfClass(name, one.name) : std::string(file),
                    .is_jvm = IsJvm(frame.kind),
                    .is_user = OriginOf(name, file, frame.kind) == FrameOrigin::kUser};
    ++wanted[one.name];
    frames.push_back(std::move(one));
  }
  std::stable_partition(frames.begin(), frames.end(), [](const WantedFrame& one) { return one.expected.is_user; });
  bool complete = true;
  const Result<PathsByName> paths = ListFiles(folder, wanted, limits.entries, &complete);
  if (!paths) return tl::unexpected(paths.error());

  SourceFiles found;
  found.file_of_frame.assign(profile.frames.Size(), -1);
  Finder finder(folder, redact, limits);
  std::unordered_map<std::string, int32_t> known;  // by expected path
  for (const WantedFrame& one : frames) {
    const auto candidates = paths->find(one.name);
    if (candidates == paths->end()) continue;
    const auto [row, is_new] = known.try_emplace(one.expected.path, -1);
    if (is_new) row->second = finder.Find(one.expected, candidates->second, &found);
    found.file_of_frame[one.frame] = row->second;
  }
  found.left_out = finder.LeftOut();
  if (!complete) {
    if (!found.left_out.empty()) found.left_out += " ";
    found.left_out += fmt::format("The search for source files ended after {} files and folders.", limits.entries);
  }
  return found;
}

}  // namespace sparkprof
