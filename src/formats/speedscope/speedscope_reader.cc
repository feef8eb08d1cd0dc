// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/saturate.h"
#include "base/text/json_parser.h"
#include "formats/json/json_document.h"
#include "formats/readers.h"
#include "formats/value_unit.h"
#include "model/samples/profile.h"

namespace sparkprof {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

double Number(const simdjson::simdjson_result<element>& value) {
  double number = 0;
  return value.get(number) == simdjson::SUCCESS && std::isfinite(number) ? number : 0;
}

struct SpeedscopeEvent {
  double at = 0;
  FrameId frame = 0;
  bool opens = false;  // else it closes
};

// speedscope's own file format (https://www.speedscope.app/file-format-schema.json) with both kinds of profiles:
// "sampled", and "evented", in which a frame weighs the time while it is the innermost open frame. Each profile is a
// thread with its name; in files written by sparkprof, the name starts with the event: "cpu: main".
class SpeedscopeReader {
 public:
  // If `is_cut`, values missing at the end of the file are not treated as absent.
  SpeedscopeReader(ProfileBuilder* builder, bool is_cut) : builder_(builder), is_cut_(is_cut) {}

  Result<void> Read(const element& root) {
    simdjson::dom::array frames, profiles;
    if (root["shared"]["frames"].get(frames) != simdjson::SUCCESS) return Expect("shared.frames");
    if (root["profiles"].get(profiles) != simdjson::SUCCESS) return Expect("profiles");
    object top;
    if (root.get(top) == simdjson::SUCCESS) is_own_ = TextAt(top, "exporter").starts_with("sparkprof");
    for (const element frame : frames) AddFrame(frame);
    size_t position = 0;
    for (const element profile : profiles) {
      if (Result<void> read = ReadProfile(profile, position++); !read) return read;
    }
    return {};
  }

 private:
  Result<void> Expect(std::string_view what) {
    return builder_->Damaged(fmt::format("offset 0: expected speedscope's {}, found none", what));
  }

  void AddFrame(const element& value) {
    object fields;
    if (value.get(fields) != simdjson::SUCCESS) return frames_.push_back(builder_->AddFrame(""));
    frames_.push_back(builder_->AddFrame(TextAt(fields, "name"), FrameKind::kUnknown, TextAt(fields, "file"),
                                         IntegerAt(fields, "line", 0)));
  }

  Result<void> ReadProfile(const element& value, size_t position) {
    object profile;
    if (value.get(profile) != simdjson::SUCCESS) return Expect(fmt::format("profiles[{}] as an object", position));
    unit_ = UnitOf(TextAt(profile, "unit"));
    std::string_view name = TextAt(profile, "name"), event_name = EventOfUnit(unit_.name);
    if (is_own_) {
      const size_t separator = name.find(": ");
      event_name = name.substr(0, separator);
      name = separator == std::string_view::npos ? std::string_view() : name.substr(separator + 2);
    }
    sample_ = {.event = builder_->AddEvent(event_name, unit_.name)};
    sample_.thread = builder_->AddThread({.name = std::string(name)});
    time_ = Number(profile["startValue"]);
    if (TextAt(profile, "type") == "evented") return ReadEvented(profile, position);
    return ReadSampled(profile, position);
  }

  Result<void> ReadSampled(const object& profile, size_t position) {
    simdjson::dom::array samples, weights;
    if (profile["samples"].get(samples) != simdjson::SUCCESS)
      return Expect(fmt::format("profiles[{}].samples", position));
    const bool has_weights = profile["weights"].get(weights) == simdjson::SUCCESS;
    if (!has_weights && is_cut_) return Expect(fmt::format("profiles[{}].weights", position));
    auto weight = has_weights ? weights.begin() : simdjson::dom::array::iterator();
    size_t index = 0;
    for (const element sample : samples) {
      double value = 1;
      if (has_weights) {
        if (!(weight != weights.end())) return Expect(fmt::format("profiles[{}].weights[{}]", position, index));
        value = Number(*weight);
        ++weight;
      }
      simdjson::dom::array path;
      if (sample.get(path) != simdjson::SUCCESS)
        return Expect(fmt::format("profiles[{}].samples[{}]", position, index));
      StackId stack = 0;
      for (const element row : path) {
        uint64_t frame = 0;
        if (row.get(frame) != simdjson::SUCCESS || frame >= frames_.size()) {
          if (Result<void> kept =
                  Expect(fmt::format("profiles[{}].samples[{}] as rows of shared.frames", position, index));
              !kept) {
            return kept;
          }
          continue;
        }
        stack = builder_->profile().stacks.Push(stack, frames_[frame]);
      }
      Add(stack, value, 1);
      time_ += value;
      ++index;
    }
    return {};
  }

  Result<void> ReadEvented(const object& profile, size_t position) {
    simdjson::dom::array events;
    if (profile["events"].get(events) != simdjson::SUCCESS) return Expect(fmt::format("profiles[{}].events", position));
    std::vector<SpeedscopeEvent> in_order;
    size_t index = 0;
    for (const element value : events) {
      object event;
      uint64_t frame = 0;
      if (value.get(event) != simdjson::SUCCESS || event["frame"].get(frame) != simdjson::SUCCESS ||
          frame >= frames_.size()) {
        if (Result<void> kept =
                Expect(fmt::format("profiles[{}].events[{}] with a row of shared.frames", position, index));
            !kept) {
          return kept;
        }
        continue;
      }
      in_order.push_back({Number(event["at"]), frames_[frame], TextAt(event, "type") == "O"});
      ++index;
    }
    const auto is_earlier = [](const SpeedscopeEvent& a, const SpeedscopeEvent& b) { return a.at < b.at; };
    if (!std::is_sorted(in_order.begin(), in_order.end(), is_earlier)) {
      std::stable_sort(in_order.begin(), in_order.end(), is_earlier);
      builder_->Note(fmt::format("profiles[{}]: events are not in the order of their times; sorted", position));
    }
    AddCalls(in_order, Number(profile["endValue"]), position);
    return {};
  }

  // Calls end with those that they made, and the last ones with the profile.
  void AddCalls(const std::vector<SpeedscopeEvent>& events, double end, size_t position) {
    struct OpenCall {
      FrameId frame = 0;
      StackId stack = 0;
    };
    std::vector<OpenCall> open{{}};
    size_t unmatched = 0;
    const auto go_to = [&](double at) {
      if (at > time_ && open.size() > 1) Add(open.back().stack, at - time_, 1);
      time_ = at;
    };
    for (const SpeedscopeEvent& event : events) {
      go_to(event.at);
      if (event.opens) {
        open.push_back({event.frame, builder_->profile().stacks.Push(open.back().stack, event.frame)});
        continue;
      }
      const auto call =
          std::find_if(open.rbegin(), open.rend() - 1, [&](const OpenCall& one) { return one.frame == event.frame; });
      const bool is_open = call != open.rend() - 1;
      if (!is_open || call != open.rbegin()) ++unmatched;
      if (is_open) open.erase(call.base() - 1, open.end());
    }
    if (open.size() > 1) {
      unmatched += open.size() - 1;
      if (end > time_) go_to(end);
    }
    if (unmatched > 0) {
      builder_->Note(
          fmt::format("profiles[{}]: {} of {} events do not open or close the innermost call; a call ends with "
                      "its caller, or with the profile",
                      position, unmatched, events.size()));
    }
  }

  void Add(StackId stack, double value, int64_t count) {
    sample_.stack = stack;
    sample_.weight = RoundSaturated(value * static_cast<double>(unit_.scale));
    sample_.count = unit_.name == "count" ? sample_.weight : count;
    sample_.time_ns = unit_.name == "ns" ? RoundSaturated(time_ * static_cast<double>(unit_.scale)) : kNoTime;
    if (sample_.weight != 0) builder_->Add(sample_);
  }

  ProfileBuilder* builder_;
  const bool is_cut_;
  bool is_own_ = false;
  std::vector<FrameId> frames_;
  ValueUnit unit_;
  Sample sample_;
  double time_ = 0;  // in the file's unit
};

}  // namespace

Result<void> ReadSpeedscope(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  JsonDocument document;
  if (Result<void> read = document.Read(source.get(), {.format = "speedscope's JSON"}, builder); !read) return read;
  Result<void> read = SpeedscopeReader(builder, document.IsCut()).Read(document.Root());
  builder->profile().default_event = DefaultEventOf(builder->profile());
  return read;
}

bool LooksLikeSpeedscope(std::string_view head) {
  const JsonOutline outline(head);
  if (!outline.IsObject()) return false;
  if (outline.Has("$schema")) return head.find("www.speedscope.app/file-format-schema.json") != std::string_view::npos;
  return outline.Has("shared.frames") || outline.Has("profiles.unit");
}

}  // namespace sparkprof
