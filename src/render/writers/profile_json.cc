// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_writer.h"
#include "profiles/stack_tree.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {

std::string_view FrameKindName(FrameKind kind) {
  constexpr std::string_view kNames[] = {"other",  "jit",    "interpreted", "inlined",
                                         "native", "kernel", "python",      "synthetic"};
  return kNames[static_cast<size_t>(kind)];
}

void WriteProfileJson(const Profile& profile, EventId event, std::optional<EventId> base_event, OutputFile* output) {
  const StackTree tree = BuildStackTree(profile, event, base_event);
  JsonWriter json;
  json.BeginObject()
      .Member("event", profile.events[event].name)
      .Member("unit", profile.events[event].unit)
      .Member("total", tree.Root().weight)
      .Member("count", tree.Root().count);
  if (base_event) json.Member("base", tree.base_total[0].weight).Member("baseCount", tree.base_total[0].count);
  json.Key("root");
  uint32_t open = 0;  // number of open nodes
  VisitPreorder(tree, [&](StackId stack, uint32_t depth) {
    for (; open > depth; --open) json.EndArray().EndObject();
    ++open;
    const Frame& frame = profile.frames.Get(profile.stacks.Get(stack).frame);
    json.BeginObject()
        .Member("name", depth == 0 ? std::string_view("all") : profile.strings.Get(frame.name))
        .Member("value", tree.total[stack].weight)
        .Member("self", tree.self[stack].weight)
        .Member("count", tree.total[stack].count);
    if (base_event) {
      json.Member("base", tree.base_total[stack].weight).Member("baseSelf", tree.base_self[stack].weight);
    }
    if (depth > 0) json.Member("kind", FrameKindName(frame.kind));
    if (frame.file != 0) json.Member("file", profile.strings.Get(frame.file));
    if (frame.line != 0) json.Member("line", frame.line);
    json.Key("children").BeginArray();
  });
  for (; open > 0; --open) json.EndArray().EndObject();
  output->Append(json.EndObject().Take());
  output->Append('\n');
}

}  // namespace sparkprof
