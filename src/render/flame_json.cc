// SPDX-License-Identifier: Apache-2.0
#include "render/flame_json.h"

#include "base/json_writer.h"

namespace sparkprof {

std::string_view FrameKindName(FrameKind kind) {
  constexpr std::string_view kNames[] = {"other",  "jit",    "interpreted", "inlined",
                                         "native", "kernel", "python",      "synthetic"};
  return kNames[static_cast<size_t>(kind)];
}

std::string RenderFlameJson(const Application& application, const FlameTree& tree, Event event) {
  JsonWriter json;
  json.BeginObject()
      .Member("event", EventName(event))
      .Member("unit", EventUnit(event))
      .Member("total", tree.Total())
      .Member("count", tree.nodes.front().count)
      .Key("root");
  for (size_t row = 0; row < tree.nodes.size(); ++row) {
    const FlameNode& node = tree.nodes[row];
    const FlameFunction& function = tree.functions[node.function];
    json.BeginObject()
        .Member("name", row == 0 ? std::string_view("all") : application.strings.Get(function.name))
        .Member("value", node.total)
        .Member("self", node.self)
        .Member("count", node.count);
    if (row > 0) json.Member("kind", FrameKindName(function.kind));
    if (function.file != 0) json.Member("file", application.strings.Get(function.file));
    if (function.line != 0) json.Member("line", function.line);
    json.Key("children").BeginArray();
    // A leaf closes itself and every node whose subtree ends with it.
    if (node.end == row + 1) {
      for (size_t closed = row;; closed = tree.nodes[closed].parent) {
        json.EndArray().EndObject();
        if (closed == 0 || tree.nodes[tree.nodes[closed].parent].end != row + 1) break;
      }
    }
  }
  return json.EndObject().Take();
}

}  // namespace sparkprof
