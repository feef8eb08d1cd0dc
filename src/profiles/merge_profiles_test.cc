// SPDX-License-Identifier: Apache-2.0
#include "profiles/merge_profiles.h"

#include <gtest/gtest.h>

#include <map>

namespace sparkprof {
namespace {

using Stacks = std::map<std::string, int64_t>;

Profile Input(const std::string& name, const ProfileEvent& event, const std::string& frame, int64_t weight) {
  ProfileBuilder builder({.name = name});
  const EventId row = builder.AddEvent(event.name, event.unit);
  const StackId stack = builder.profile().stacks.Push(0, builder.AddFrame(frame));
  builder.Add({.stack = stack, .event = row, .weight = weight});
  return builder.Take();
}

std::vector<Profile> Two(const ProfileEvent& a, const ProfileEvent& b) {
  std::vector<Profile> inputs;
  inputs.push_back(Input("a", a, "f", 3));
  inputs.push_back(Input("b", b, "f", 4));
  return inputs;
}

Stacks StacksOf(const Profile& profile, EventId event) {
  Stacks stacks;
  std::vector<FrameId> path;
  for (const Sample& sample : profile.samples) {
    if (sample.event != event) continue;
    profile.stacks.Unwind(sample.stack, &path);
    std::string text;
    for (const FrameId frame : path) {
      text += (text.empty() ? "" : ";") + std::string(profile.strings.Get(profile.frames.Get(frame).name));
    }
    stacks[text] += sample.weight;
  }
  return stacks;
}

TEST(MergeProfilesTest, AddsUpEqualStacks) {
  const auto merged = MergeProfiles(Two({"cpu", "ns"}, {"cpu", "ns"}), {});
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(StacksOf(merged->profile, merged->profile.default_event), (Stacks{{"f", 7}}));
}

TEST(MergeProfilesTest, CountsWithoutANameFitAnyCount) {
  const ProfileEvent samples{"samples", "count"}, cpu{"cpu", "count"};
  for (const auto& [a, b] : {std::pair(samples, cpu), std::pair(cpu, samples)}) {
    const auto merged = MergeProfiles(Two(a, b), {});
    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(merged->profile.events[merged->profile.default_event].name, "cpu");
    EXPECT_EQ(StacksOf(merged->profile, merged->profile.default_event), (Stacks{{"f", 7}}));
  }
}

TEST(MergeProfilesTest, EachInputCanBeARoot) {
  const auto merged = MergeProfiles(Two({"cpu", "ns"}, {"cpu", "ns"}), {.by_input = true});
  ASSERT_TRUE(merged);
  EXPECT_EQ(StacksOf(merged->profile, 0), (Stacks{{"a;f", 3}, {"b;f", 4}}));
}

TEST(MergeProfilesTest, WhatCannotBeAddedIsNamed) {
  const auto error = [](const ProfileEvent& a, const ProfileEvent& b, const std::string& event) {
    const auto merged = MergeProfiles(Two(a, b), {.event = event});
    return merged ? "" : merged.error().message;
  };
  EXPECT_EQ(error({"cpu", "ns"}, {"samples", "count"}, ""),
            "cannot add cpu (ns) of a and samples (count) of b; select an event that both have with --event");
  EXPECT_NE(error({"wall", "count"}, {"cpu", "count"}, ""), "");
  EXPECT_NE(error({"cpu", "count"}, {"cpu", "ns"}, "cpu"), "");
  EXPECT_EQ(error({"cycles:u", "count"}, {"cycles", "count"}, "cycles"), "") << "the user chose both";
}

TEST(MergeProfilesTest, InputsWithoutTheEventAreReported) {
  const auto merged = MergeProfiles(Two({"wall", "count"}, {"cpu", "count"}), {.event = "cpu"});
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->without_event, (std::vector<std::string>{"a: no event cpu; recorded: wall"}));
  EXPECT_EQ(StacksOf(merged->profile, merged->profile.default_event), (Stacks{{"f", 4}}));
  const auto none = MergeProfiles(Two({"wall", "count"}, {"cpu", "count"}), {.event = "lock"});
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->without_event.empty()) << "the caller reports that nothing was found";
}

std::vector<Profile> Inputs(const std::vector<ProfileEvent>& events) {
  std::vector<Profile> inputs;
  for (const ProfileEvent& event : events)
    inputs.push_back(Input(event.name + std::to_string(inputs.size()), event, "f", 1));
  return inputs;
}

TEST(MergeProfilesTest, LeavesOutWhatCannotBeAdded) {
  const ProfileEvent samples{"samples", "count"}, cpu{"cpu", "count"}, cpu_ns{"cpu", "ns"}, wall{"wall", "count"};
  struct {
    std::vector<ProfileEvent> inputs;
    int64_t total;
    std::string name;
    std::vector<std::string> left_out;
  } const cases[] = {
      {{cpu, samples, samples}, 3, "cpu", {}},
      {{cpu_ns, samples, samples}, 2, "samples", {"cpu0: cpu (ns), not samples (count)"}},
      {{wall, cpu, samples}, 2, "cpu", {"wall0: wall (count), not cpu (count)"}},
      {{wall, cpu, wall, samples}, 3, "wall", {"cpu1: cpu (count), not wall (count)"}},
  };
  for (const auto& one : cases) {
    const auto merged = MergeProfiles(Inputs(one.inputs), {.leave_out = true});
    ASSERT_TRUE(merged) << merged.error().message;
    const EventId row = merged->profile.default_event;
    EXPECT_EQ(StacksOf(merged->profile, row), (Stacks{{"f", one.total}}));
    EXPECT_EQ(merged->profile.events[row].name, one.name);
    EXPECT_EQ(merged->inputs, static_cast<size_t>(one.total));
    EXPECT_EQ(merged->without_event, one.left_out);
  }
}

}  // namespace
}  // namespace sparkprof
