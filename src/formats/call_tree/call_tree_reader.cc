// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/saturate.h"
#include "base/text/json_parser.h"
#include "formats/json/json_document.h"
#include "formats/readers.h"
#include "model/samples/profile.h"

namespace sparkprof {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr size_t kMaxTreeDepth = 1 << 18;  // JSON needs two levels per frame

FrameKind NamedKind(std::string_view name) {
  constexpr std::string_view kNames[] = {"other",  "jit",    "interpreted", "inlined",
                                         "native", "kernel", "python",      "synthetic"};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<FrameKind>(i);
  }
  return FrameKind::kUnknown;
}

// A call tree as JSON: sparkprof's own (`flame --format json`), and that of d3-flame-graph, which is its root alone:
// nodes with name, value and children. A value includes the callees; without `self`, the rest of it is the node's own.
// The root is not a frame. The baseline of a comparison becomes the event "before".
class CallTreeReader {
 public:
  explicit CallTreeReader(ProfileBuilder* builder) : builder_(builder) {}

  Result<void> Read(const object& tree) {
    object root;
    const std::string_view event = TextAt(tree, "event"), unit = TextAt(tree, "unit");
    if (!ObjectAt(tree, "root", &root)) root = tree;
    element value;
    if (!Find(root, "value", &value)) return builder_->Damaged("offset 0: expected a call tree with value, found none");
    event_ = builder_->AddEvent(event.empty() ? "samples" : event, unit.empty() ? "count" : unit);
    if (Find(tree, "base", &value)) before_ = builder_->AddEvent("before", unit);
    AddNodes(root);
    if (negative_ == 0) return {};
    return builder_->Damaged(
        fmt::format("offset 0: expected callees to weigh no more than their caller, found {} that do", negative_));
  }

 private:
  struct Pending {
    object node;
    StackId caller;
    bool is_root;
  };

  void AddNodes(const object& root) {
    std::vector<Pending> pending{{root, 0, true}};
    std::vector<object> callees;
    while (!pending.empty()) {
      const Pending next = pending.back();
      pending.pop_back();
      const StackId stack = next.is_root ? 0 : builder_->profile().stacks.Push(next.caller, FrameOf(next.node));
      int64_t self = IntegerAt(next.node, "value", 0), count = IntegerAt(next.node, "count", self);
      callees.clear();
      array children;
      if (ArrayAt(next.node, "children", &children)) {
        for (const element child : children) {
          object callee;
          if (child.get(callee) == simdjson::SUCCESS) callees.push_back(callee);
        }
      }
      // The first callee is the next node.
      for (size_t i = callees.size(); i > 0; --i) {
        const int64_t value = IntegerAt(callees[i - 1], "value", 0);
        AddSaturated(-value, &self);
        AddSaturated(-IntegerAt(callees[i - 1], "count", value), &count);
        pending.push_back({callees[i - 1], stack, false});
      }
      Add(next, stack, self, count);
    }
  }

  void Add(const Pending& next, StackId stack, int64_t rest, int64_t count) {
    const int64_t self = IntegerAt(next.node, "self", rest);
    if (self < 0) ++negative_;
    Sample sample{.stack = stack, .event = event_, .weight = self, .count = count > 0 ? count : 0};
    if (self > 0) builder_->Add(sample);
    if (!before_) return;
    sample.event = *before_;
    sample.weight = IntegerAt(next.node, "baseSelf", 0);
    sample.count = 0;
    if (sample.weight > 0) builder_->Add(sample);
  }

  FrameId FrameOf(const object& node) {
    return builder_->AddFrame(TextAt(node, "name"), NamedKind(TextAt(node, "kind")), TextAt(node, "file"),
                              IntegerAt(node, "line", 0));
  }

  ProfileBuilder* builder_;
  EventId event_ = 0;
  std::optional<EventId> before_;
  uint64_t negative_ = 0;  // nodes
};

}  // namespace

Result<void> ReadCallTree(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  JsonDocument document;
  const JsonDocument::Options options{.format = "a call tree in JSON", .max_depth = kMaxTreeDepth};
  if (Result<void> read = document.Read(source.get(), options, builder); !read) return read;
  object tree;
  if (document.Root().get(tree) != simdjson::SUCCESS) {
    return builder->Damaged("offset 0: expected a call tree as an object");
  }
  Result<void> read = CallTreeReader(builder).Read(tree);
  builder->profile().default_event = DefaultEventOf(builder->profile());
  return read;
}

bool LooksLikeCallTree(std::string_view head) {
  const JsonOutline outline(head);
  if (!outline.IsObject()) return false;
  return (outline.Has("event") && outline.Has("root.value")) ||
         (outline.Has("name") && outline.Has("value") && outline.Has("children"));
}

}  // namespace sparkprof
