// SPDX-License-Identifier: Apache-2.0
#include "analysis/flame_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "base/hash_index.h"

namespace sparkprof {
namespace {

constexpr size_t kKinds = static_cast<size_t>(FrameKind::kSynthetic) + 1;

bool NeedsFile(FrameKind kind) { return kind == FrameKind::kPython || kind == FrameKind::kNative; }

// Gives each frame the number of its function.
class Functions {
 public:
  Functions(const Application& application, bool lines) : frames_(application.frames), lines_(lines) {
    functions_.emplace_back();
    weight_of_kind_.emplace_back();
    of_frame_.assign(frames_.Size(), HashIndex::kNone);
    of_frame_[0] = 0;
  }

  uint32_t Of(FrameId frame) {
    uint32_t& known = of_frame_[frame];
    if (known == HashIndex::kNone) known = Intern(frames_.Get(frame));
    return known;
  }

  void AddWeight(FrameId frame, int64_t weight) {
    weight_of_kind_[of_frame_[frame]][static_cast<size_t>(frames_.Get(frame).kind)] += weight;
  }

  std::vector<FlameFunction> Take() {
    for (size_t i = 1; i < functions_.size(); ++i) {
      const auto& weights = weight_of_kind_[i];
      const auto heaviest = std::max_element(weights.begin(), weights.end());
      if (*heaviest > 0) functions_[i].kind = static_cast<FrameKind>(heaviest - weights.begin());
    }
    return std::move(functions_);
  }

 private:
  uint32_t Intern(const Frame& frame) {
    const FlameFunction key{frame.name, NeedsFile(frame.kind) ? frame.file : 0, lines_ ? frame.line : 0, frame.kind};
    const auto hash = [](const FlameFunction& f) { return MixHash(MixHash(uint64_t{f.name} << 32 | f.file) ^ f.line); };
    const uint32_t found = index_.Find(hash(key), [&](uint32_t id) {
      const FlameFunction& other = functions_[id];
      return other.name == key.name && other.file == key.file && other.line == key.line;
    });
    if (found != HashIndex::kNone) return found;
    const uint32_t id = static_cast<uint32_t>(functions_.size());
    functions_.push_back(key);
    weight_of_kind_.emplace_back();
    index_.Insert(hash(key), id, [&](uint32_t other) { return hash(functions_[other]); });
    return id;
  }

  const FrameTable& frames_;
  const bool lines_;
  std::vector<FlameFunction> functions_;
  std::vector<std::array<int64_t, kKinds>> weight_of_kind_;
  std::vector<uint32_t> of_frame_;
  HashIndex index_;
};

// A tree under construction: nodes in order of first sight, so that a parent stands before its children.
class Trie {
 public:
  Trie() : nodes_(1) {}

  uint32_t Child(uint32_t parent, uint32_t function) {
    const auto hash = [](uint32_t p, uint32_t f) { return MixHash(uint64_t{p} << 32 | f); };
    const uint32_t found = index_.Find(hash(parent, function), [&](uint32_t id) {
      return nodes_[id].parent == parent && nodes_[id].function == function;
    });
    if (found != HashIndex::kNone) return found;
    const uint32_t id = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({parent, nodes_[parent].depth + 1, function});
    index_.Insert(hash(parent, function), id,
                  [&](uint32_t other) { return hash(nodes_[other].parent, nodes_[other].function); });
    return id;
  }

  std::vector<FlameNode>& nodes() { return nodes_; }

 private:
  std::vector<FlameNode> nodes_;
  HashIndex index_;
};

struct StackWeight {
  int64_t weight = 0;
  int64_t count = 0;
};

void AddForward(const Application& application, const std::vector<StackWeight>& of_stack, Functions* functions,
                Trie* trie) {
  const StackTable& stacks = application.stacks;
  std::vector<StackWeight> totals = of_stack;
  for (size_t id = totals.size() - 1; id > 0; --id) {
    StackWeight& parent = totals[stacks.Get(static_cast<StackId>(id)).parent];
    parent.weight += totals[id].weight;
    parent.count += totals[id].count;
  }
  std::vector<uint32_t> node_of_stack(totals.size());
  for (size_t id = 0; id < totals.size(); ++id) {
    if (id > 0) {
      if (totals[id].weight == 0 && totals[id].count == 0) continue;
      const StackTable::Node& stack = stacks.Get(static_cast<StackId>(id));
      node_of_stack[id] = trie->Child(node_of_stack[stack.parent], functions->Of(stack.frame));
      functions->AddWeight(stack.frame, totals[id].weight);
    }
    FlameNode& node = trie->nodes()[node_of_stack[id]];
    node.self += of_stack[id].weight;
    node.count += of_stack[id].count;
  }
}

void AddReverse(const Application& application, const std::vector<StackWeight>& of_stack, Functions* functions,
                Trie* trie) {
  for (size_t id = 0; id < of_stack.size(); ++id) {
    const auto [weight, count] = of_stack[id];
    if (weight == 0 && count == 0) continue;
    uint32_t node = 0;
    for (StackId stack = static_cast<StackId>(id); stack != 0; stack = application.stacks.Get(stack).parent) {
      const FrameId frame = application.stacks.Get(stack).frame;
      node = trie->Child(node, functions->Of(frame));
      functions->AddWeight(frame, weight);
    }
    trie->nodes()[node].self += weight;
    trie->nodes()[node].count += count;
  }
}

void AddUp(std::vector<FlameNode>* nodes) {
  for (FlameNode& node : *nodes) node.total = node.self;
  for (size_t i = nodes->size() - 1; i > 0; --i) {
    FlameNode& parent = (*nodes)[(*nodes)[i].parent];
    parent.total += (*nodes)[i].total;
    parent.count += (*nodes)[i].count;
  }
}

// The nodes in preorder, children ordered by `before(a, b)`.
template <typename Before>
std::vector<FlameNode> Preorder(const std::vector<FlameNode>& nodes, Before before) {
  std::vector<uint32_t> first_child(nodes.size() + 1), children(nodes.size());
  for (size_t i = 1; i < nodes.size(); ++i) ++first_child[nodes[i].parent + 1];
  std::partial_sum(first_child.begin(), first_child.end(), first_child.begin());
  std::vector<uint32_t> next(first_child.begin(), first_child.end() - 1);
  for (uint32_t i = 1; i < nodes.size(); ++i) children[next[nodes[i].parent]++] = i;
  for (size_t i = 0; i < nodes.size(); ++i) {
    std::sort(children.begin() + first_child[i], children.begin() + first_child[i + 1], before);
  }

  std::vector<FlameNode> ordered;
  ordered.reserve(nodes.size());
  struct Pending {
    uint32_t node, parent_row;
  };
  std::vector<Pending> stack{{0, 0}};
  while (!stack.empty()) {
    const auto [node, parent_row] = stack.back();
    stack.pop_back();
    const uint32_t row = static_cast<uint32_t>(ordered.size());
    ordered.push_back(nodes[node]);
    ordered.back().parent = parent_row;
    for (uint32_t i = first_child[node + 1]; i > first_child[node]; --i) stack.push_back({children[i - 1], row});
  }
  for (size_t i = 0; i < ordered.size(); ++i) ordered[i].end = static_cast<uint32_t>(i + 1);
  for (size_t i = ordered.size() - 1; i > 0; --i) {
    uint32_t& end = ordered[ordered[i].parent].end;
    end = std::max(end, ordered[i].end);
  }
  return ordered;
}

}  // namespace

FlameTree BuildFlameTree(const Application& application, const std::vector<uint32_t>& rows,
                         const FlameOptions& options) {
  std::vector<StackWeight> of_stack(application.stacks.Size());
  for (const uint32_t row : rows) {
    const Sample& sample = application.samples[row];
    of_stack[sample.stack].weight += sample.weight;
    of_stack[sample.stack].count += sample.count;
  }
  Functions functions(application, options.lines);
  Trie trie;
  (options.reverse ? AddReverse : AddForward)(application, of_stack, &functions, &trie);
  AddUp(&trie.nodes());

  FlameTree tree;
  tree.functions = functions.Take();
  const std::vector<FlameNode>& nodes = trie.nodes();
  const auto by_name = [&](uint32_t a, uint32_t b) {
    const FlameFunction& left = tree.functions[nodes[a].function];
    const FlameFunction& right = tree.functions[nodes[b].function];
    if (left.name != right.name) return application.strings.Get(left.name) < application.strings.Get(right.name);
    if (left.file != right.file) return application.strings.Get(left.file) < application.strings.Get(right.file);
    return left.line < right.line;
  };
  tree.nodes = Preorder(nodes, [&](uint32_t a, uint32_t b) {
    if (options.order == FlameOrder::kByTotal && nodes[a].total != nodes[b].total) {
      return nodes[a].total > nodes[b].total;
    }
    return by_name(a, b);
  });
  return tree;
}

std::string FunctionLabel(const Application& application, const FlameFunction& function) {
  std::string label(application.strings.Get(function.name));
  if (label.empty()) label = "[unknown]";
  if (function.kind == FrameKind::kPython && function.file != 0) {
    const std::string_view file = application.strings.Get(function.file);
    label += fmt::format(" ({}", file.substr(file.rfind('/') + 1));
    label += function.line == 0 ? ")" : fmt::format(":{})", function.line);
  } else if (function.line != 0) {
    label += fmt::format(":{}", function.line);
  }
  return label;
}

}  // namespace sparkprof
