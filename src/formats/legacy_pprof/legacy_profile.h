// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/legacy_pprof/memory_map.h"
#include "model/profile_builder.h"

namespace sparkprof {

// A profile of addresses before it becomes stacks: legacy profiles have their memory map and symbols at the end, and
// some changes need all samples.
class LegacyProfile {
 public:
  struct Column {
    EventId event = 0;
    int64_t scale = 1;
  };
  struct SampleRow {
    size_t first_address = 0;  // leaf first
    size_t addresses = 0;
    std::optional<int64_t> count;  // nullopt: the value of a column that counts, else 1
  };

  explicit LegacyProfile(ProfileBuilder* builder) : builder_(builder) {}

  ProfileBuilder* builder() { return builder_; }
  MemoryMap& map() { return map_; }
  std::vector<SampleRow>& samples() { return samples_; }
  void AddColumn(std::string_view name, std::string_view unit);

  // The sample that the addresses added before it, since the last one, belong to. Its values are in the columns' units.
  void AddAddress(uint64_t address) { addresses_.push_back(address); }
  void AddSample(std::span<const int64_t> values, std::optional<int64_t> count = std::nullopt);
  // A value of the last sample, of which there must be one.
  int64_t& LastValue(size_t column) { return values_[values_.size() - columns_.size() + column]; }
  // Drops addresses that were added since the last sample.
  void DropAddresses() { addresses_.resize(next_address_); }

  uint64_t& Address(const SampleRow& sample, size_t i) { return addresses_[sample.first_address + i]; }
  void RemoveAddress(SampleRow* sample, size_t i);

  // The profile's own data about an address: frames, leaf first. Called again for an address, it adds a caller
  // that was inlined, up to kMaxFrames.
  static constexpr size_t kMaxFrames = 256;
  void AddSymbol(uint64_t address, FrameId frame) {
    std::vector<FrameId>& frames = symbols_[address];
    if (frames.size() < kMaxFrames) frames.push_back(frame);
  }
  bool HasSymbol(uint64_t address) const { return symbols_.contains(address); }

  // Adds the samples to the builder. Addresses without symbol are named FILE+0xADDRESS.
  void AddToProfile();

 private:
  ProfileBuilder* builder_;
  std::vector<Column> columns_;
  std::vector<SampleRow> samples_;
  std::vector<int64_t> values_;  // of each sample, by column
  std::vector<uint64_t> addresses_;
  size_t next_address_ = 0;  // first that belongs to no sample yet
  std::unordered_map<uint64_t, std::vector<FrameId>> symbols_;
  MemoryMap map_;
};

}  // namespace sparkprof
