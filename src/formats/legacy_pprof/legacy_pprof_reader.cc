// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text/text.h"
#include "formats/protobuf_profile.h"
#include "formats/read_input.h"
#include "formats/readers.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxLegacyPprofSize = size_t{2} << 30;

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
  std::string_view Rest() const { return bytes_.substr(at_); }

 private:
  std::string_view bytes_;
  WordFormat format_;
  size_t at_ = 0;
};

struct CpuProfileHeader {
  Words samples;
  bool is_java = false;
  uint64_t period_us = 0;
};

std::optional<CpuProfileHeader> ReadCpuProfileHeader(std::string_view bytes) {
  for (const WordFormat format : {WordFormat{4}, WordFormat{4, true}, WordFormat{8}, WordFormat{8, true}}) {
    Words words(bytes, format);
    if (words.Left() < 5) continue;
    const uint64_t first = *words.Next(), slots = *words.Next(), language = *words.Next(), period = *words.Next();
    if (first == 0 && slots == 3 && language <= 1 && period > 0 && *words.Next() == 0) {
      return CpuProfileHeader{words, language == 1, period};
    }
  }
  return std::nullopt;
}

// The number at the start of `text`; nullopt if there is none.
std::optional<uint64_t> TakeHexNumber(std::string_view* text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number, 16);
  if (error != std::errc()) return std::nullopt;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return number;
}

// Which file an address belongs to, by lines of /proc/PID/maps, which must outlive this. Other lines are skipped.
class MemoryMap {
 public:
  explicit MemoryMap(std::string_view lines) {
    while (!lines.empty()) AddLine(Trim(TakeLine(&lines)));
    std::stable_sort(mappings_.begin(), mappings_.end(),
                     [](const Mapping& a, const Mapping& b) { return a.start < b.start; });
  }

  // "" if unknown.
  std::string_view FileOf(uint64_t address) const {
    const auto after = std::upper_bound(mappings_.begin(), mappings_.end(), address,
                                        [](uint64_t at, const Mapping& mapping) { return at < mapping.start; });
    if (address == 0) return {};
    if (after != mappings_.begin() && address < std::prev(after)->limit) return std::prev(after)->file;
    // Some profiles lack the first part of a file that is mapped in parts.
    if (after != mappings_.end() && after->offset != 0 && after->start - after->offset <= address) return after->file;
    return {};
  }

 private:
  struct Mapping {
    uint64_t start = 0, limit = 0, offset = 0;
    std::string_view file;
  };

  // "400000-500000 r-xp 00000000 08:01 12   /usr/bin/job"
  void AddLine(std::string_view line) {
    std::vector<std::string_view> fields = Split(line, ' ');
    constexpr size_t kFieldsBeforeFile = 5;
    if (fields.size() < kFieldsBeforeFile || fields[1].find('x') == std::string_view::npos) return;
    const std::optional<uint64_t> start = TakeHexNumber(&fields[0]);
    if (!start || !fields[0].starts_with('-')) return;
    fields[0].remove_prefix(1);
    const std::optional<uint64_t> limit = TakeHexNumber(&fields[0]), offset = TakeHexNumber(&fields[2]);
    if (!limit || !offset) return;
    const auto file = std::find_if(fields.begin() + kFieldsBeforeFile, fields.end(),
                                   [](std::string_view field) { return !field.empty(); });
    mappings_.push_back({*start, *limit, *offset, file == fields.end() ? std::string_view() : *file});
  }

  std::vector<Mapping> mappings_;
};

// "f (Source.java:3)"; a library's name without its folder.
FrameId AddJavaFrame(std::string_view text, ProfileBuilder* builder) {
  const size_t open = text.rfind(" (");
  if (!text.ends_with(')') || open == std::string_view::npos) {
    const bool is_stub = text.find("generated stub/JIT") != std::string_view::npos;
    return builder->AddFrame(is_stub ? "STUB" : text);
  }
  const std::string_view name = Trim(text.substr(0, open));
  const std::string_view place = text.substr(open + 2, text.size() - open - 3);
  const size_t colon = place.rfind(':');
  if (const std::optional<int64_t> line = ParseInteger(place.substr(colon + 1));
      colon != std::string_view::npos && line) {
    return builder->AddFrame(name, FrameKind::kUnknown, place.substr(0, colon), *line);
  }
  return builder->AddFrame(name, FrameKind::kUnknown, place.substr(place.rfind('/') + 1), 0);
}

// The binary CPU profiles of gperftools, of Go before 1.9, and of Google's Java agent: words of 4 or 8 bytes in either
// byte order. The header is 0, 3, 0 (1 for Java), the period in µs, 0; each sample is its count, its depth and that
// many addresses, leaf first; 0, 1, 0 ends them. The lines of /proc/PID/maps follow, or for Java the names of the
// addresses. Samples and values are those of google/pprof (profile/legacy_profile.go); an address without a name is
// FILE+0xADDRESS.
class LegacyPprofReader {
 public:
  LegacyPprofReader(CpuProfileHeader header, ProfileBuilder* builder) : header_(header), builder_(builder) {}

  Result<void> Read() {
    Profile& profile = builder_->profile();
    const EventId event = profile.default_event = builder_->AddEvent("cpu", "ns");
    profile.events[event].counts_as = "samples";
    profile.events[event].has_counts = false;
    if (Result<void> read = ReadSamples(); !read) return read;
    const std::string_view rest = header_.samples.Rest();
    if (header_.is_java) {
      ReadNames(rest);
    } else {
      RemoveSignalFrames();
    }
    const MemoryMap map(header_.is_java ? std::string_view() : rest);
    for (const CpuSample& sample : samples_) {
      StackId stack = 0;
      for (size_t i = sample.size; i > 0; --i) {
        const uint64_t address = addresses_[sample.first + i - 1];
        const auto [known, is_new] = frames_.try_emplace(address);
        if (is_new) known->second = AddAddressFrame(map.FileOf(address), address, builder_);
        stack = profile.stacks.Push(stack, known->second);
      }
      builder_->Add({.stack = stack, .event = event, .weight = sample.nanos, .count = sample.count});
    }
    return {};
  }

 private:
  struct CpuSample {
    size_t first = 0, size = 0;  // range in addresses_, leaf first
    int64_t nanos = 0;
    int64_t count = 0;
  };

  Result<void> ReadSamples() {
    Words& words = header_.samples;
    while (true) {
      const size_t begin = words.Position();
      const bool is_end = words.Left() == 0;
      const std::optional<uint64_t> count = words.Next(), depth = words.Next();
      if (!depth || *depth > words.Left()) {
        return builder_->Damaged(fmt::format("offset {}: expected {}", begin,
                                             is_end
                                                 ? "the words 0, 1, 0 after the last sample, found the end of the file"
                                                 : "a sample's count, depth and addresses"));
      }
      CpuSample sample{.first = addresses_.size(), .size = *depth, .count = static_cast<int64_t>(*count)};
      for (uint64_t i = 0; i < *depth; ++i) {
        const uint64_t address = *words.Next();
        if (*count == 0 && *depth == 1 && address == 0) return {};
        // Addresses of callers are the ones to return to; the call is before it.
        addresses_.push_back(i > 0 && !header_.is_java ? address - 1 : address);
      }
      uint64_t micros = 0;
      if (__builtin_mul_overflow(*count, header_.period_us, &micros) ||
          __builtin_mul_overflow(micros, 1000, &sample.nanos)) {
        const std::string what = fmt::format("offset {}: expected a count of samples, found {}", begin, *count);
        if (Result<void> kept = builder_->Damaged(what); !kept) return kept;
      } else if (sample.nanos > 0) {
        samples_.push_back(sample);
      }
    }
  }

  // Lines " 0x3 com.example.f (Source.java:3)", " 0x4 f (/lib/libf.so)" or " 0x5 GC"; others are skipped.
  void ReadNames(std::string_view lines) {
    while (!lines.empty()) {
      std::string_view line = Trim(TakeLine(&lines));
      if (!line.starts_with("0x")) continue;
      line.remove_prefix(2);
      const std::optional<uint64_t> address = TakeHexNumber(&line);
      const std::string_view name = Trim(line);
      if (!address || name.empty() || frames_.contains(*address)) continue;
      frames_.emplace(*address, AddJavaFrame(name, builder_));
    }
  }

  // Most samples have a frame of the signal handler above their leaf, which comes from the signal itself. Some have the
  // leaf twice: from the signal, and from unwinding, where it was taken for a caller's.
  void RemoveSignalFrames() {
    constexpr int kMaxFrames = 2;
    constexpr size_t kSamplesForEachOther = 32;  // one in so many may differ
    const size_t margin = samples_.size() / kSamplesForEachOther;
    for (int frame = 0; frame < kMaxFrames; ++frame) {
      std::unordered_map<uint64_t, size_t> counts;
      for (const CpuSample& sample : samples_) {
        if (sample.size > 1) ++counts[addresses_[sample.first + 1]];
      }
      for (const auto& [address, count] : counts) {
        if (count < samples_.size() - margin) continue;
        for (CpuSample& sample : samples_) RemoveCaller(address, &sample);
        break;
      }
    }
    for (CpuSample& sample : samples_) {
      if (sample.size > 1) RemoveCaller(addresses_[sample.first] - 1, &sample);
    }
  }

  void RemoveCaller(uint64_t address, CpuSample* sample) {
    if (sample->size < 2 || addresses_[sample->first + 1] != address) return;
    addresses_[sample->first + 1] = addresses_[sample->first];
    ++sample->first;
    --sample->size;
  }

  CpuProfileHeader header_;
  ProfileBuilder* builder_;
  std::vector<CpuSample> samples_;
  std::vector<uint64_t> addresses_;
  std::unordered_map<uint64_t, FrameId> frames_;  // by address
};

}  // namespace

bool LooksLikeLegacyPprof(std::string_view head) { return ReadCpuProfileHeader(head).has_value(); }

Result<void> ReadLegacyPprof(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  const Result<std::string> bytes = ReadWhole(source.get(), kMaxLegacyPprofSize, builder);
  if (!bytes) return tl::unexpected(bytes.error());
  const std::optional<CpuProfileHeader> header = ReadCpuProfileHeader(*bytes);
  if (!header) return builder->Damaged("offset 0: expected the header of a CPU profile");
  return LegacyPprofReader(*header, builder).Read();
}

}  // namespace sparkprof
