// SPDX-License-Identifier: Apache-2.0
#include "output/output_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/io/byte_source.h"
#include "base/io/compression.h"
#include "base/text/text.h"
#include "formats/profile_formats.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

std::string_view WithoutGzip(std::string_view path) {
  if (path.ends_with(kGzipSuffix)) path.remove_suffix(kGzipSuffix.size());
  return path;
}

bool Exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool IsPicture(const OutputKind& kind) { return kind.name == "html" || kind.name == "heatmap" || kind.name == "svg"; }

// Whether sparkprof wrote the file as a page or picture, so that it may be replaced.
bool IsOwnPicture(const std::string& path) {
  constexpr size_t kHeadBytes = 4096;
  Result<std::unique_ptr<ByteSource>> file = OpenFileSource(path);
  if (!file) return false;
  std::optional<Error> error;
  const std::string head = ReadUpTo(Decompress(std::move(*file), path).get(), kHeadBytes, &error);
  return head.starts_with('<') && (head.find("<title>sparkprof") != std::string::npos ||
                                   head.find("Flame graph by sparkprof") != std::string::npos);
}

// The kind selected by `-o NAME`: its name, or one of its suffixes without the dot, such as pb.gz.
const OutputKind* KindOfName(std::span<const OutputKind> kinds, std::string_view name) {
  for (const OutputKind& kind : kinds) {
    if (name == kind.name) return &kind;
    for (const std::string_view suffix : Split(kind.suffixes, ' ')) {
      if (suffix.substr(1) == name) return &kind;
    }
  }
  return nullptr;
}

// The first suffix of each kind.
std::string EndingsOf(std::span<const OutputKind> kinds) {
  std::vector<std::string_view> endings;
  for (const OutputKind& kind : kinds) endings.push_back(Split(kind.suffixes, ' ').front());
  return fmt::format("{}", fmt::join(endings, ", "));
}

Error UnknownName(std::span<const OutputKind> kinds, std::string_view option, const std::string& path) {
  return Error{fmt::format("{}{}: unknown output format; the name must end in {}{}", option, path, EndingsOf(kinds),
                           kinds.size() > 1 ? ", or select a format with --format" : "")};
}

bool IsNameOfInput(std::string_view path) {
  if (path.ends_with(".sprof")) return true;
  for (const ProfileFormat& format : ProfileFormats()) {
    if (LongestEnding(path, format.suffixes) > 0 || LongestEnding(WithoutGzip(path), format.suffixes) > 0) return true;
  }
  return false;
}

// Moves the last argument to the output if it is one.
Result<void> TakeLast(std::span<const OutputKind> kinds, const OutputArguments& arguments) {
  std::vector<std::string>& inputs = *arguments.inputs;
  if (inputs.size() <= arguments.least_inputs) return {};
  const std::string& last = inputs.back();
  bool is_output = arguments.last_is_output;
  if (!is_output && IsPipeOrDevice(last)) is_output = last == "/dev/stdout" || last == "/dev/stderr";
  if (!is_output && last != "-" && !IsPipeOrDevice(last)) {
    const OutputKind* const kind = OutputForPath(kinds, last);
    const bool exists = Exists(last);
    is_output = kind != nullptr && IsPicture(*kind) && (!exists || IsOwnPicture(last));
    if (!is_output && !exists && kind != nullptr) {
      return Fail(fmt::format("{}: no such file; to write it, use -o {}", last, last));
    }
    if (!is_output && !exists && !IsNameOfInput(last)) {
      return Fail(fmt::format("{}: no such file; as an output, its name must end in {}", last, EndingsOf(kinds)));
    }
  }
  if (!is_output) return {};
  *arguments.output = last;
  inputs.pop_back();
  return {};
}

// Returns "x.html" for "logs/x.jfr.gz".
Result<std::string> NamedAfter(const std::string& input, std::string_view ending,
                               const std::vector<std::string>& inputs) {
  if (input == "-" || IsPipeOrDevice(input)) return std::string("-");
  fs::path path(input);
  if (!path.has_filename()) path = path.parent_path();
  fs::path name = path.filename();
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.extension() == packed) name = name.stem();
  }
  std::string output = name.stem().string() + std::string(ending);
  for (const std::string& other : inputs) {
    std::error_code error;
    if (fs::equivalent(output, other, error)) {
      return Fail(fmt::format("{}: this is an input; name the output with -o FILE", output));
    }
  }
  return output;
}

}  // namespace

bool IsPipeOrDevice(const std::string& path) {
  std::error_code error;
  // /dev/stdout may refer to a file.
  return path.starts_with("/dev/") || path.starts_with("/proc/self/fd/") || fs::is_other(fs::status(path, error));
}

const std::vector<OutputKind>& ProfileOutputs() {
  static const std::vector<OutputKind> kOutputs = [] {
    std::vector<OutputKind> outputs;
    for (const ProfileWriter& writer : ProfileWriters()) outputs.push_back({writer.name, writer.suffixes});
    return outputs;
  }();
  return kOutputs;
}

const OutputKind* OutputForPath(std::span<const OutputKind> kinds, std::string_view path) {
  return FindByEnding(kinds, path);
}

Result<void> CheckOutputName(std::span<const OutputKind> kinds, std::string_view option, const std::string& path) {
  if (path.empty() || path == "-" || IsPipeOrDevice(path) || OutputForPath(kinds, path) != nullptr) return {};
  std::error_code error;
  if (fs::is_directory(path, error)) return Fail(fmt::format("{}{}: a folder, expected a file name", option, path));
  return tl::unexpected(UnknownName(kinds, option, path));
}

Result<bool> ResolveOutput(std::span<const OutputKind> kinds, const OutputArguments& arguments) {
  std::string& output = *arguments.output;
  std::string& format = *arguments.format;
  std::string ending;
  const OutputKind* const kind = KindOfName(kinds, output);
  if (kind != nullptr && format.empty() && !Exists(output)) {
    const std::string typed = "." + output;
    const std::vector<std::string_view> suffixes = Split(kind->suffixes, ' ');
    const bool is_suffix = std::find(suffixes.begin(), suffixes.end(), typed) != suffixes.end();
    ending = is_suffix ? typed : std::string(suffixes.front());
    format = kind->name;
    output.clear();
  }
  if (output.empty()) {
    if (Result<void> taken = TakeLast(kinds, arguments); !taken) return tl::unexpected(taken.error());
  }
  const bool is_named_after_input = output.empty() && !ending.empty();
  if (is_named_after_input) {
    Result<std::string> named = NamedAfter(arguments.inputs->front(), ending, *arguments.inputs);
    if (!named) return tl::unexpected(named.error());
    output = *named;
  }
  if (format.empty()) {
    if (Result<void> good = CheckOutputName(kinds, "", output); !good) return tl::unexpected(good.error());
  }
  return is_named_after_input && output != "-";
}

Result<bool> TakePage(std::vector<std::string>* inputs, std::string* output) {
  static constexpr OutputKind kPages[] = {{"html", ".html .htm"}};
  std::string format;
  return ResolveOutput(kPages, {.inputs = inputs, .output = output, .format = &format});
}

}  // namespace sparkprof
