// SPDX-License-Identifier: Apache-2.0
#include "formats/legacy_pprof/cpu_profile.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

#include "formats/legacy_pprof/java_symbols.h"

namespace sparkprof {
namespace {

struct WordFormat {
  size_t size = 0;
  bool is_big_endian = false;
};

class Words {
 public:
  Words(std::string_view bytes, WordFormat format) : bytes_(bytes), format_(format) {}

  // nullopt at the end.
  std::optional<uint64_t> Next() {
    if (Left() == 0) return std::nullopt;
    uint64_t word = 0;
    for (size_t i = 0; i < format_.size; ++i) {
      const size_t place = format_.is_big_endian ? format_.size - 1 - i : i;
      word |= uint64_t{static_cast<unsigned char>(bytes_[at_ + i])} << (8 * place);
    }
    at_ += format_.size;
    return word;
  }
  size_t Left() const { return (bytes_.size() - at_) / format_.size; }
  size_t Position() const { return at_; }

 private:
  std::string_view bytes_;
  WordFormat format_;
  size_t at_ = 0;
};

struct Header {
  WordFormat format;
  bool is_java = false;
  uint64_t period_us = 0;
};

std::optional<Header> ReadHeader(std::string_view bytes) {
  for (const WordFormat format : {WordFormat{4}, WordFormat{4, true}, WordFormat{8}, WordFormat{8, true}}) {
    Words words(bytes, format);
    if (words.Left() < 5) continue;
    const uint64_t first = *words.Next(), slots = *words.Next(), language = *words.Next(), period = *words.Next();
    if (first == 0 && slots == 3 && language <= 1 && period > 0 && *words.Next() == 0) {
      return Header{format, language == 1, period};
    }
  }
  return std::nullopt;
}

// Most samples have a frame of the signal handler above their leaf; the leaf comes from the signal itself.
void RemoveSignalFrames(LegacyProfile* profile) {
  constexpr int kMaxFrames = 2;
  constexpr size_t kSamplesForEachOther = 32;  // one in so many may differ
  const size_t samples = profile->samples().size(), margin = samples / kSamplesForEachOther;
  for (int frame = 0; frame < kMaxFrames; ++frame) {
    std::unordered_map<uint64_t, size_t> counts;
    for (const LegacyProfile::SampleRow& sample : profile->samples()) {
      if (sample.addresses > 1) ++counts[profile->Address(sample, 1)];
    }
    for (const auto& [address, count] : counts) {
      if (count < samples - margin) continue;
      for (LegacyProfile::SampleRow& sample : profile->samples()) {
        if (sample.addresses > 1 && profile->Address(sample, 1) == address) profile->RemoveAddress(&sample, 1);
      }
      break;
    }
  }
}

}  // namespace

bool LooksLikeCpuProfile(std::string_view head) { return ReadHeader(head).has_value(); }

Result<void> ReadCpuProfile(std::string_view bytes, LegacyProfile* profile) {
  const std::optional<Header> header = ReadHeader(bytes);
  ProfileBuilder* const builder = profile->builder();
  if (!header) return builder->Damaged("offset 0: expected the header of a CPU profile");
  profile->AddColumn("cpu", "nanoseconds");
  builder->profile().events[builder->profile().default_event].counts_as = "samples";
  Words words(bytes, header->format);
  for (int i = 0; i < 5; ++i) words.Next();
  Result<void> outcome;
  bool has_end = false;
  while (!has_end) {
    const size_t begin = words.Position();
    const std::optional<uint64_t> count = words.Next(), depth = words.Next();
    if (!depth || *depth > words.Left()) {
      outcome = builder->Damaged(
          begin == bytes.size()
              ? fmt::format("offset {}: expected the words 0, 1, 0 after the last sample, found the end of the file",
                            begin)
              : fmt::format("offset {}: expected a sample's count, depth and addresses", begin));
      break;
    }
    for (uint64_t i = 0; i < *depth; ++i) {
      // Addresses of callers are the ones to return to; the call is before it.
      const uint64_t address = *words.Next();
      has_end = *count == 0 && *depth == 1 && address == 0;
      if (!has_end) profile->AddAddress(i > 0 && !header->is_java ? address - 1 : address);
    }
    if (has_end) break;
    int64_t nanos = 0;
    if (*count > INT64_MAX || __builtin_mul_overflow(static_cast<int64_t>(*count), 1000, &nanos) ||
        header->period_us > INT64_MAX ||
        __builtin_mul_overflow(nanos, static_cast<int64_t>(header->period_us), &nanos)) {
      profile->DropAddresses();
      outcome = builder->Damaged(fmt::format("offset {}: expected a count of samples, found {}", begin, *count));
      if (!outcome) break;
      continue;
    }
    profile->AddSample({&nanos, 1}, static_cast<int64_t>(*count));
  }
  if (!outcome) return outcome;
  const std::string_view rest = bytes.substr(words.Position());
  if (header->is_java) {
    ReadJavaSymbols(rest, profile);
  } else {
    RemoveSignalFrames(profile);
    profile->map().AddLines(rest);
    RemoveRepeatedLeaves(profile);
  }
  return {};
}

void RemoveRepeatedLeaves(LegacyProfile* profile) {
  for (LegacyProfile::SampleRow& sample : profile->samples()) {
    if (sample.addresses > 1 && profile->Address(sample, 0) == profile->Address(sample, 1) + 1) {
      profile->RemoveAddress(&sample, 1);
    }
  }
}

}  // namespace sparkprof
