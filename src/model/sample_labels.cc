// SPDX-License-Identifier: Apache-2.0
#include "model/sample_labels.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace sparkprof {

std::string FormatLabels(const SampleLabels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    if (!text.empty()) text += '\n';
    text += ToOneLine(ToUtf8(name));
    text += '=';
    text += ToOneLine(ToUtf8(value));
  }
  return text;
}

bool HasLabel(std::string_view labels, std::string_view label) {
  const std::vector<std::string_view> lines = Split(labels, '\n');
  return std::find(lines.begin(), lines.end(), label) != lines.end();
}

}  // namespace sparkprof
