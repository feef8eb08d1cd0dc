// SPDX-License-Identifier: Apache-2.0
#include "formats/legacy_pprof/legacy_profile.h"

#include <utility>

#include "formats/pprof/address_frame.h"
#include "formats/value_unit.h"

namespace sparkprof {

void LegacyProfile::AddColumn(std::string_view name, std::string_view unit) {
  const ValueUnit known = UnitOf(unit);
  columns_.push_back({builder_->AddEvent(name, known.name), known.scale});
  builder_->profile().events[columns_.back().event].has_counts = false;
  builder_->profile().default_event = columns_.back().event;
}

void LegacyProfile::AddSample(std::span<const int64_t> values, std::optional<int64_t> count) {
  samples_.push_back({next_address_, addresses_.size() - next_address_, count});
  for (size_t i = 0; i < columns_.size(); ++i) values_.push_back(i < values.size() ? values[i] : 0);
  next_address_ = addresses_.size();
}

void LegacyProfile::RemoveAddress(SampleRow* sample, size_t i) {
  for (; i + 1 < sample->addresses; ++i) Address(*sample, i) = Address(*sample, i + 1);
  --sample->addresses;
}

void LegacyProfile::AddToProfile() {
  map_.Finish();
  Profile& profile = builder_->profile();
  for (size_t row = 0; row < samples_.size(); ++row) {
    const SampleRow& sample = samples_[row];
    StackId stack = 0;
    for (size_t i = sample.addresses; i > 0; --i) {
      const uint64_t address = Address(sample, i - 1);
      std::vector<FrameId>& frames = symbols_[address];
      if (frames.empty()) frames.push_back(AddAddressFrame(map_.FileOf(address), address, builder_));
      for (size_t frame = frames.size(); frame > 0; --frame) stack = profile.stacks.Push(stack, frames[frame - 1]);
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      const int64_t value = values_[row * columns_.size() + i];
      if (value == 0) continue;
      Sample added{.stack = stack, .event = column.event};
      if (__builtin_mul_overflow(value, column.scale, &added.weight)) added.weight = value < 0 ? INT64_MIN : INT64_MAX;
      added.count = sample.count ? *sample.count : profile.events[column.event].unit == "count" ? added.weight : 1;
      builder_->Add(added);
    }
  }
}

}  // namespace sparkprof
