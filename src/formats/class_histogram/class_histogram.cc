// SPDX-License-Identifier: Apache-2.0
#include "formats/class_histogram/class_histogram.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "base/saturate.h"
#include "base/text/text.h"
#include "formats/jfr/jfr_stacks.h"
#include "model/stable_name.h"

namespace sparkprof {
namespace {

// Cuts the first word off a line.
std::string_view TakeHistogramWord(std::string_view* rest) {
  *rest = Trim(*rest);
  const std::string_view word = rest->substr(0, rest->find(' '));
  rest->remove_prefix(word.size());
  return word;
}

std::optional<HeapObjects> TakeObjects(std::string_view* rest) {
  const std::optional<int64_t> instances = ParseInteger(TakeHistogramWord(rest));
  const std::optional<int64_t> bytes = ParseInteger(TakeHistogramWord(rest));
  if (!instances || !bytes || *instances < 0 || *bytes < 0) return std::nullopt;
  return HeapObjects{*instances, *bytes};
}

// "[Ljava.lang.Object; (java.base@17.0.15)" as "java.lang.Object[]".
std::string NameOf(std::string_view class_and_module) {
  const size_t module = class_and_module.rfind(" (");
  return StableName(JavaTypeName(Trim(class_and_module.substr(0, module))));
}

bool IsHeading(std::string_view line) { return line.empty() || line.starts_with("num ") || line.starts_with("---"); }

std::vector<ClassHistogram::Class> Sorted(const std::unordered_map<std::string, HeapObjects>& objects) {
  std::vector<ClassHistogram::Class> classes;
  for (const auto& [name, sum] : objects) classes.push_back({name, sum});
  std::sort(classes.begin(), classes.end(), [](const ClassHistogram::Class& a, const ClassHistogram::Class& b) {
    return std::tie(b.objects.bytes, a.name) < std::tie(a.objects.bytes, b.name);
  });
  return classes;
}

}  // namespace

Result<ClassHistogram> ReadClassHistogram(std::string_view text) {
  std::unordered_map<std::string, HeapObjects> objects;
  size_t number = 0;
  for (const std::string_view raw_line : Split(text, '\n')) {
    ++number;
    const std::string_view line = Trim(raw_line);
    if (IsHeading(line)) continue;
    std::string_view rest = line;
    const std::string_view first = TakeHistogramWord(&rest);
    const std::optional<HeapObjects> found = TakeObjects(&rest);
    if (first == "Total" && found) return ClassHistogram{Sorted(objects)};
    if (!first.ends_with(':') || !found || Trim(rest).empty()) {
      return Fail("class histogram, line " + std::to_string(number) +
                  ": expected NUMBER: INSTANCES BYTES CLASS, not \"" + Shorten(ToOneLine(line), 80) + "\"");
    }
    HeapObjects& sum = objects[NameOf(rest)];
    AddSaturated(found->instances, &sum.instances);
    AddSaturated(found->bytes, &sum.bytes);
  }
  return Fail("class histogram: truncated, no line \"Total\" after " + std::to_string(objects.size()) + " classes");
}

}  // namespace sparkprof
