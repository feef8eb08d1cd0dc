// SPDX-License-Identifier: Apache-2.0
#include "render/collapsed_writer.h"

#include <string>
#include <vector>

#include "analysis/stack_tree.h"

namespace sparkprof {
namespace {

void Escape(std::string* label) {
  for (char& c : *label) {
    if (c == ';') c = ':';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
}

// Calls `leaf(stack)` for each node of the tree with its path in *path; the root's path is empty.
template <typename Leaf>
void VisitPaths(const Profile& profile, StackTree* tree, std::string* path, Leaf&& leaf) {
  for (std::string& label : tree->labels) Escape(&label);
  std::vector<size_t> path_length{0};  // by depth
  VisitPreorder(*tree, [&](StackId stack, uint32_t depth) {
    if (depth > 0) {
      path->resize(path_length[depth - 1]);
      if (depth > 1) *path += ';';
      *path += tree->labels[profile.stacks.Get(stack).frame];
      path_length.resize(depth);
      path_length.push_back(path->size());
    }
    leaf(stack);
  });
}

}  // namespace

void WriteCollapsed(const Profile& profile, uint32_t event, bool counts, OutputFile* output) {
  StackTree tree = BuildStackTree(profile, event);
  std::string path;
  VisitPaths(profile, &tree, &path, [&](StackId stack) {
    const int64_t value = counts ? tree.self[stack].count : tree.self[stack].weight;
    if (value <= 0) return;
    output->Append(stack == 0 ? std::string_view("[unknown]") : path);
    output->Append(' ');
    output->Append(value);
    output->Append('\n');
  });
}

void WriteCollapsedPair(const Profile& profile, uint32_t before, uint32_t after, OutputFile* output) {
  StackTree tree = BuildStackTree(profile, after, before);
  std::string path;
  VisitPaths(profile, &tree, &path, [&](StackId stack) {
    const StackWeight &before_weight = tree.base_self[stack], &after_weight = tree.self[stack];
    // Scaling may leave nothing of a weight: its stack is shown, as difffolded.pl shows it.
    const bool is_used = before_weight.count != 0 || after_weight.count != 0;
    if (!is_used && before_weight.weight <= 0 && after_weight.weight <= 0) return;
    output->Append(stack == 0 ? std::string_view("[unknown]") : path);
    output->Append(' ');
    output->Append(before_weight.weight);
    output->Append(' ');
    output->Append(after_weight.weight);
    output->Append('\n');
  });
}

}  // namespace sparkprof
