// SPDX-License-Identifier: Apache-2.0
#include "render/collapsed.h"

#include <vector>

namespace sparkprof {
namespace {

std::string Escape(std::string label) {
  for (char& c : label) {
    if (c == ';') c = ':';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return label;
}

// Samples whose stack ends at `row`.
int64_t OwnCount(const FlameTree& tree, size_t row) {
  int64_t count = tree.nodes[row].count;
  for (size_t child = row + 1; child < tree.nodes[row].end; child = tree.nodes[child].end) {
    count -= tree.nodes[child].count;
  }
  return count;
}

}  // namespace

std::string RenderCollapsed(const Application& application, const FlameTree& tree, bool counts) {
  std::vector<std::string> labels;
  labels.reserve(tree.functions.size());
  for (const FlameFunction& function : tree.functions) labels.push_back(Escape(FunctionLabel(application, function)));

  std::string text;
  std::string path;
  std::vector<size_t> path_length{0};  // by depth
  for (size_t row = 0; row < tree.nodes.size(); ++row) {
    const FlameNode& node = tree.nodes[row];
    if (row > 0) {
      path.resize(path_length[node.depth - 1]);
      if (!path.empty()) path += ';';
      path += labels[node.function];
      path_length.resize(node.depth);
      path_length.push_back(path.size());
    }
    const int64_t value = counts ? OwnCount(tree, row) : node.self;
    if (value <= 0) continue;
    text += row == 0 ? labels[0] : path;
    text += ' ';
    text += std::to_string(value);
    text += '\n';
  }
  return text;
}

}  // namespace sparkprof
