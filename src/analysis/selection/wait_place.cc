// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/selection/stack_kinds.h"
#include "profiles/frame_origin.h"

namespace sparkprof {
namespace {

bool IsMachine(FrameKind kind) { return kind == FrameKind::kKernel || kind == FrameKind::kNative; }

std::string WaitText(const Application& application, StackId stack) {
  const Profile& profile = application.profile;
  const auto frame = [&](StackId id) -> const Frame& { return profile.frames.Get(profile.stacks.Get(id).frame); };
  const auto name = [&](StackId id) { return profile.strings.Get(frame(id).name); };
  while (stack != 0 && IsMachine(frame(stack).kind)) stack = profile.stacks.Get(stack).parent;
  if (stack == 0) return {};
  StackId caller = stack;
  while (caller != 0 && OriginOf(name(caller), {}, frame(caller).kind) == FrameOrigin::kJdk)
    caller = profile.stacks.Get(caller).parent;
  const std::string label = FrameLabel(profile.strings, frame(stack));
  if (caller == 0 || caller == stack) return label;
  return fmt::format("{} below {}", label, FrameLabel(profile.strings, frame(caller)));
}

}  // namespace

std::vector<WaitPlace> PlacesOf(const Application& application, const std::map<StackId, int64_t>& weight_of_stacks) {
  std::map<std::string, int64_t> by_text;
  for (const auto& [stack, weight] : weight_of_stacks) by_text[WaitText(application, stack)] += weight;
  by_text.erase("");
  std::vector<WaitPlace> places;
  for (const auto& [text, weight] : by_text) places.push_back({text, weight});
  std::stable_sort(places.begin(), places.end(),
                   [](const WaitPlace& a, const WaitPlace& b) { return a.weight_ns > b.weight_ns; });
  return places;
}

}  // namespace sparkprof
