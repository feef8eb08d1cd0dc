// SPDX-License-Identifier: Apache-2.0
#include "libraries/libraries.h"

#include <algorithm>
#include <vector>

#include "base/text/text.h"

namespace sparkprof {
namespace {

struct Operation {
  std::string_view frame, words, partitions, change;
};

struct Library {
  std::string_view name;
  std::vector<std::string_view> code, caches;
  std::vector<Operation> operations;
};

// Tests read all tables, so that a wrong line never leaves the build.
std::vector<Library> ReadTables() {
  std::vector<Library> libraries;
  for (const std::string_view line : Split(kLibraryTables, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> fields = Split(line, '\t');
    if (fields.size() < 2) continue;
    if (fields[0] == "library") libraries.emplace_back().name = fields[1];
    if (libraries.empty()) continue;
    if (fields[0] == "code") libraries.back().code.push_back(fields[1]);
    if (fields[0] == "cache") libraries.back().caches.push_back(fields[1]);
    if (fields[0] == "operation" && fields.size() > 2)
      libraries.back().operations.push_back(
          {fields[1], fields[2], fields.size() > 3 ? fields[3] : std::string_view(), {}});
    if (fields[0] == "change" && !libraries.back().operations.empty())
      libraries.back().operations.back().change = fields[1];
  }
  return libraries;
}

const std::vector<Library>& Libraries() {
  static const std::vector<Library> libraries = ReadTables();
  return libraries;
}

bool StartsWithOneOf(std::string_view text, const std::vector<std::string_view>& starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return text.starts_with(start); });
}

const Library* LibraryOf(std::string_view class_name) {
  for (const Library& library : Libraries()) {
    if (StartsWithOneOf(class_name, library.code)) return &library;
  }
  return nullptr;
}

// "ALS.fit" of "org.apache.spark.ml.recommendation.ALS.$anonfun$fit$1(ALS.scala:711)".
std::string CallIn(std::string_view frame) {
  frame = frame.substr(0, frame.find('('));
  const size_t method = frame.rfind('.');
  if (method == std::string_view::npos || method == 0) return std::string(frame);
  const size_t name = frame.rfind('.', method - 1);
  std::string_view of_class = frame.substr(name == std::string_view::npos ? 0 : name + 1);
  of_class = of_class.substr(0, of_class.find('.'));
  while (of_class.ends_with('$')) of_class.remove_suffix(1);
  std::string_view call = frame.substr(method + 1);
  constexpr std::string_view kLambda = "$anonfun$";
  if (call.starts_with(kLambda)) call.remove_prefix(kLambda.size());
  return std::string(of_class.substr(0, of_class.find('$'))) + "." + std::string(call.substr(0, call.find('$')));
}

}  // namespace

std::optional<LibraryCall> LibraryCallIn(std::string_view call_stack) {
  const std::vector<std::string_view> frames = Split(call_stack, '\n');
  const Library* library = nullptr;
  std::string_view outermost;
  for (const std::string_view frame : frames) {
    const Library* const of_frame = LibraryOf(frame);
    if (of_frame == nullptr || (library != nullptr && of_frame != library)) continue;
    library = of_frame;
    outermost = frame;
  }
  if (library == nullptr) return std::nullopt;
  for (const Operation& one : library->operations) {
    const auto has = [&](std::string_view frame) { return frame.starts_with(one.frame); };
    if (std::any_of(frames.begin(), frames.end(), has))
      return LibraryCall{library->name, std::string(one.words), one.partitions};
  }
  return LibraryCall{library->name, CallIn(outermost), {}};
}

std::string_view ChangeOfOperation(std::string_view library, std::string_view operation) {
  for (const Library& one : Libraries()) {
    if (one.name != library) continue;
    for (const Operation& known : one.operations) {
      if (known.words == operation) return known.change;
    }
  }
  return {};
}

bool IsCacheOfLibrary(std::string_view rdd_name) {
  return std::any_of(Libraries().begin(), Libraries().end(),
                     [&](const Library& library) { return StartsWithOneOf(rdd_name, library.caches); });
}

bool IsOfLibrary(std::string_view class_name) { return LibraryOf(class_name) != nullptr; }

}  // namespace sparkprof
