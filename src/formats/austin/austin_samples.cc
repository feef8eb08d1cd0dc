// SPDX-License-Identifier: Apache-2.0
#include "formats/austin/austin_samples.h"

#include <charconv>

#include "base/saturate.h"
#include "base/time.h"

namespace sparkprof {

void AustinSamples::SetMetadata(std::string_view key, std::string_view value) {
  if (key != "mode") return;
  mode_ = value == "cpu" ? kCpu : value == "memory" ? kMemory : value == "full" ? kFull : kWall;
  // The first event is the default, even if memory is freed first.
  if (mode_ == kMemory) RowOf(Event::kAlloc);
}

EventId AustinSamples::RowOf(Event event) {
  const auto place = static_cast<size_t>(event);
  if (place >= rows_.size()) rows_.resize(place + 1, kNoEvent);
  if (rows_[place] == kNoEvent) rows_[place] = builder_->profile().AddEvent(event);
  return rows_[place];
}

FrameId AustinSamples::FrameOf(std::string_view file, std::string_view function, int64_t line) {
  // Austin's own tools distinguish them like this.
  const bool is_python = file.ends_with(".py") || (file.starts_with('<') && file.ends_with('>'));
  const FrameKind kind = file == "kernel" ? FrameKind::kKernel : is_python ? FrameKind::kPython : FrameKind::kNative;
  return builder_->AddFrame(function, kind, file, line);
}

void AustinSamples::Add(StackId stack, int64_t process, std::string_view thread, int base,
                        const AustinMetrics& metrics) {
  Sample sample{.stack = stack};
  if (builder_->options().keep_threads) {
    ProfileThread row{.process = process};
    const std::string_view number = thread.substr(thread.find(':') + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), row.tid, base);
    if (error != std::errc() || end != number.data() + number.size()) row.name = std::string(thread);
    sample.thread = builder_->AddThread(row);
  }
  const auto add = [&](Event event, int64_t weight) {
    sample.event = RowOf(event);
    sample.weight = weight;
    builder_->Add(sample);
  };
  const int64_t nanos = MultiplySaturated(metrics.micros, kNanosPerMicro);
  if (mode_ == kWall || mode_ == kFull) {
    sample.state = mode_ == kWall    ? ThreadState::kUnknown
                   : metrics.is_idle ? ThreadState::kSleeping
                                     : ThreadState::kRunning;
    add(Event::kWall, nanos);
    sample.state = ThreadState::kUnknown;
  }
  if (mode_ == kCpu || (mode_ == kFull && !metrics.is_idle)) add(Event::kCpu, nanos);
  if (mode_ == kMemory || mode_ == kFull) {
    if (metrics.bytes > 0) add(Event::kAlloc, metrics.bytes);
    if (metrics.bytes < 0) add(Event::kFree, metrics.bytes == INT64_MIN ? INT64_MAX : -metrics.bytes);
  }
}

}  // namespace sparkprof
