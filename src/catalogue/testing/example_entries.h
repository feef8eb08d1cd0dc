// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalogue/catalogue.h"

namespace sparkprof {

inline constexpr int64_t kTestHour = 3'600'000'000'000;
inline constexpr int64_t kTestStart = 480'000 * kTestHour;  // an hour of October 2024

// A row of an application that ran for a minute from `hour` hours after kTestStart.
inline ApplicationRow ExampleRow(const std::string& id, int64_t hour = 0) {
  return {.key = {id, ""},
          .name = "name of " + id,
          .user = "alice",
          .group = "group",
          .status = ApplicationStatus::kFinished,
          .start_ns = kTestStart + hour * kTestHour,
          .end_ns = kTestStart + hour * kTestHour + 60'000'000'000,
          .tasks = 8,
          .cpu_ns = 40'000'000'000,
          .findings = 0,
          .core_ms = 120'000,
          .memory_mib_s = 61'440,
          .saving_ns = 5'000'000'000,
          .job_version = "1.2",
          .spark_version = "4.1.1",
          .location = "file:///recordings/" + id + ".sprof",
          .version = "1",
          .top_finding = "Stage 1: skewed data"};
}

// Puts an entry together by hand.
class EntryBuilder {
 public:
  explicit EntryBuilder(ApplicationRow row) { entry_.application = std::move(row); }

  // `frames` root first, all JIT-compiled.
  EntryBuilder& Total(std::initializer_list<std::string_view> frames, int64_t weight, int64_t count = 1,
                      int64_t hour = 0, std::string_view event = "cpu", std::string_view unit = "ns") {
    Profile& profile = entry_.stacks;
    StackId stack = 0;
    for (const std::string_view frame : frames) {
      stack = profile.stacks.Push(
          stack, profile.frames.Intern({.name = profile.strings.Intern(frame), .line = 12, .kind = FrameKind::kJit}));
    }
    entry_.totals.push_back({kTestStart + hour * kTestHour, EventOf(event, unit), stack, weight, count});
    return *this;
  }
  EntryBuilder& Finding(std::string rule, std::string severity, std::string title, int64_t gain_ns) {
    entry_.findings.push_back({std::move(rule), std::move(severity), std::move(title), gain_ns});
    ++entry_.application.findings;
    return *this;
  }
  EntryBuilder& Maximum(std::string series, int64_t hour, double value) {
    entry_.maxima.push_back({std::move(series), kTestStart + hour * kTestHour, value});
    return *this;
  }
  EntryBuilder& Stage(StageRow stage) {
    entry_.stages.push_back(std::move(stage));
    return *this;
  }
  EntryBuilder& Executor(ExecutorRow executor) {
    entry_.executors.push_back(std::move(executor));
    return *this;
  }

  const CatalogueEntry& entry() const { return entry_; }
  operator const CatalogueEntry&() const { return entry_; }  // NOLINT(google-explicit-constructor): a value of it

 private:
  EventId EventOf(std::string_view name, std::string_view unit) {
    std::vector<ProfileEvent>& events = entry_.stacks.events;
    for (size_t row = 0; row < events.size(); ++row) {
      if (events[row].name == name && events[row].unit == unit) return static_cast<EventId>(row);
    }
    events.push_back({.name = std::string(name), .unit = std::string(unit)});
    return static_cast<EventId>(events.size() - 1);
  }

  CatalogueEntry entry_;
};

// "a;b" and its weight and count, for each sample of a profile.
inline std::map<std::string, std::pair<int64_t, int64_t>> StacksOf(const Profile& profile) {
  std::map<std::string, std::pair<int64_t, int64_t>> stacks;
  std::vector<FrameId> frames;
  for (const Sample& sample : profile.samples) {
    profile.stacks.Unwind(sample.stack, &frames);
    std::string text;
    for (const FrameId frame : frames) {
      if (!text.empty()) text += ';';
      text += FrameLabel(profile.strings, profile.frames.Get(frame));
    }
    auto& [weight, count] = stacks[text];
    weight += sample.weight;
    count += sample.count;
  }
  return stacks;
}

}  // namespace sparkprof
