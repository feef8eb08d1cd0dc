// SPDX-License-Identifier: Apache-2.0
#include "formats/legacy_pprof/text_profiles.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/characters.h"
#include "base/lines.h"
#include "base/text.h"
#include "formats/legacy_pprof/cpu_profile.h"
#include "formats/legacy_pprof/java_symbols.h"

namespace sparkprof {
namespace {

bool IsBlankOrComment(std::string_view trimmed) { return trimmed.empty() || trimmed[0] == '#'; }

bool IsMapHeader(std::string_view line) {
  return line.find("--- Memory map: ---") != std::string_view::npos ||
         line.find("MAPPED_LIBRARIES:") != std::string_view::npos;
}

// Takes the parts of a line from its front.
class LineParts {
 public:
  explicit LineParts(std::string_view line) : rest_(line) {}

  std::optional<int64_t> Number() {
    SkipBlanks();
    int64_t number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return number;
  }
  bool Skip(char c) {
    SkipBlanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view Rest() {
    SkipBlanks();
    return rest_;
  }

 private:
  void SkipBlanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

// "IN_USE: BYTES [ALLOCATED: BYTES] @": the header's totals, and each sample of a heap.
struct HeapNumbers {
  int64_t in_use = 0, in_use_bytes = 0, allocated = 0, allocated_bytes = 0;
  std::string_view rest;  // after the @
};
std::optional<HeapNumbers> ParseHeapNumbers(std::string_view text) {
  LineParts parts(text);
  HeapNumbers numbers;
  const auto pair = [&](int64_t* count, int64_t* bytes) {
    const std::optional<int64_t> first = parts.Number();
    const bool has_colon = parts.Skip(':');
    const std::optional<int64_t> second = parts.Number();
    *count = first.value_or(0);
    *bytes = second.value_or(0);
    return first && has_colon && second;
  };
  if (!pair(&numbers.in_use, &numbers.in_use_bytes) || !parts.Skip('[') ||
      !pair(&numbers.allocated, &numbers.allocated_bytes) || !parts.Skip(']') || !parts.Skip('@')) {
    return std::nullopt;
  }
  numbers.rest = parts.Rest();
  return numbers;
}

// Estimates all objects from the sampled ones of this average size: an object of S bytes is sampled with probability
// 1 - e^(-S/rate).
void Unsample(int64_t* count, int64_t* bytes, int64_t rate) {
  if (*count == 0 || *bytes == 0) {
    *count = *bytes = 0;
    return;
  }
  if (rate <= 1) return;
  const double average = static_cast<double>(*bytes) / static_cast<double>(*count);
  const double scale = 1 / (1 - std::exp(-average / static_cast<double>(rate)));
  const auto scaled = [&](int64_t value) {
    const double number = static_cast<double>(value) * scale;
    return std::abs(number) < 9.2e18 ? static_cast<int64_t>(number) : value;
  };
  *count = scaled(*count);
  *bytes = scaled(*bytes);
}

constexpr std::string_view kHeapHeader = "heap profile:";

class TextProfileReader {
 public:
  TextProfileReader(std::string_view lines, LegacyProfile* profile)
      : rest_(lines), profile_(profile), builder_(profile->builder()) {}

  Result<void> Read(LegacyText kind) {
    Result<void> outcome = ReadSamples(kind);
    if (!outcome) return outcome;
    if (kind == LegacyText::kJava) {
      ReadJavaSymbols(rest_, profile_);
    } else {
      while (!IsMapHeader(line_) && Next()) {
      }
      profile_->map().AddLines(rest_);
    }
    if (kind == LegacyText::kThreads) RemoveRepeatedLeaves(profile_);
    return {};
  }

 private:
  Result<void> ReadSamples(LegacyText kind) {
    switch (kind) {
      case LegacyText::kHeap:
        return ReadHeap();
      case LegacyText::kContention:
        return ReadContention();
      case LegacyText::kJava:
        return ReadJava();
      case LegacyText::kGoCount:
        return ReadGoCount();
      case LegacyText::kThreads:
        return ReadThreads();
      case LegacyText::kNone:
        break;
    }
    return builder_->Damaged("line 1: expected the header of a legacy pprof profile");
  }

  bool Next() {
    if (rest_.empty()) return false;
    line_ = Trim(TakeLine(&rest_));
    ++line_number_;
    return true;
  }
  // The line is to be read again by what follows.
  bool NextNotBlank() {
    while (Next()) {
      if (!IsBlankOrComment(line_)) return true;
      AddGoSymbol();
    }
    return false;
  }

  Result<void> Expect(std::string_view what) {
    profile_->DropAddresses();
    return builder_->Damaged(fmt::format("line {}: expected {}, found '{}'", line_number_, what, line_.substr(0, 60)));
  }

  // Addresses of callers are the ones to return to; the call is before it. False for one that is too large.
  bool AddAddresses(std::string_view text, uint64_t leaf_adjustment, uint64_t adjustment) {
    size_t added = 0;
    for (size_t at = text.find("0x"); at != std::string_view::npos; at = text.find("0x", at)) {
      at += 2;
      uint64_t address = 0;
      const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), address, 16);
      if (error == std::errc::result_out_of_range) return false;
      if (error != std::errc()) continue;
      profile_->AddAddress(address - (added++ == 0 ? leaf_adjustment : adjustment));
      at = static_cast<size_t>(end - text.data());
    }
    return true;
  }

  // Below a sample of Go: "#\t0x4a1\tmain.f+0x41\t\t/src/main.go:12", leaf first; several lines with one address were
  // inlined into each other. Addresses are those of the calls.
  void AddGoSymbol() {
    if (!line_.starts_with("#\t0x")) return;
    uint64_t address = 0;
    const auto [end, error] = std::from_chars(line_.data() + 4, line_.data() + line_.size(), address, 16);
    if (error != std::errc() || known_before_.contains(address)) return;
    const std::string_view text = Trim(line_.substr(static_cast<size_t>(end - line_.data())));
    const size_t tab = text.find('\t');
    std::string_view name = text.substr(0, tab);
    const size_t offset = name.rfind("+0x");
    if (offset != std::string_view::npos) name = name.substr(0, offset);
    if (name.empty()) return;
    StringTable& strings = builder_->profile().strings;
    Frame frame{.name = strings.Intern(name)};
    if (tab != std::string_view::npos) {
      const std::string_view place = Trim(text.substr(tab));
      const size_t colon = place.rfind(':');
      frame.file = strings.Intern(place.substr(0, colon));
      const std::optional<int64_t> line =
          colon == std::string_view::npos ? std::nullopt : ParseInteger(place.substr(colon + 1));
      if (line && *line > 0 && *line <= UINT32_MAX) frame.line = static_cast<uint32_t>(*line);
    }
    profile_->AddSymbol(address, builder_->profile().frames.Intern(frame));
    new_symbols_.push_back(address);
  }
  // Symbols of an address are those below the first sample that has it.
  void EndGoSymbols() {
    known_before_.insert(new_symbols_.begin(), new_symbols_.end());
    new_symbols_.clear();
  }

  Result<void> ReadHeap() {
    if (!Next()) return Expect("the header of a heap profile");
    const std::optional<HeapNumbers> header =
        ParseHeapNumbers(line_.substr(std::min(line_.size(), kHeapHeader.size())));
    if (!header) return Expect("heap profile: 1: 2 [3: 4] @ heap_v2/524288");
    const std::string_view type = header->rest.substr(0, header->rest.find('/'));
    const int64_t period =
        header->rest.size() > type.size() ? ParseInteger(Trim(header->rest.substr(type.size() + 1))).value_or(0) : 0;
    int64_t rate = 0;
    if (type == "heap_v2" || type == "heapz_v2") rate = period;
    if (type == "heap") rate = period / 2;
    const bool is_heap = type.starts_with("heap");
    const bool has_allocated =
        is_heap && ((header->allocated != header->in_use && header->allocated != 0) ||
                    (header->allocated_bytes != header->in_use_bytes && header->allocated_bytes != 0));
    if (has_allocated) {
      profile_->AddColumn("alloc_objects", "count");
      profile_->AddColumn("alloc_space", "bytes");
    }
    profile_->AddColumn(has_allocated ? "inuse_objects" : "objects", "count");
    profile_->AddColumn(has_allocated ? "inuse_space" : "space", "bytes");
    while (NextNotBlank() && !IsMapHeader(line_)) {
      EndGoSymbols();
      std::optional<HeapNumbers> numbers = ParseHeapNumbers(line_);
      const bool is_sample = numbers && !(numbers->in_use == 0 && numbers->in_use_bytes != 0) &&
                             !(has_allocated && numbers->allocated == 0 && numbers->allocated_bytes != 0) &&
                             AddAddresses(numbers->rest, 1, 1);
      if (!is_sample) {
        if (Result<void> kept = Expect("1: 2 [3: 4] @ 0x1 0x2"); !kept) return kept;
        continue;
      }
      if (rate != 0) {
        Unsample(&numbers->allocated, &numbers->allocated_bytes, rate);
        Unsample(&numbers->in_use, &numbers->in_use_bytes, rate);
      }
      const int64_t values[] = {numbers->allocated, numbers->allocated_bytes, numbers->in_use, numbers->in_use_bytes};
      profile_->AddSample(std::span(values).subspan(has_allocated ? 0 : 2));
    }
    return {};
  }

  Result<void> ReadContention() {
    Next();
    profile_->AddColumn("contentions", "count");
    profile_->AddColumn("delay", "nanoseconds");
    int64_t period = 1, cycles_per_second = 0;
    bool in_header = true;
    while (NextNotBlank() && !line_.starts_with("---")) {
      EndGoSymbols();
      const size_t equals = line_.find('=');
      if (in_header && equals != std::string_view::npos) {
        const std::string_view key = Trim(line_.substr(0, equals));
        const std::optional<int64_t> number = ParseInteger(Trim(line_.substr(equals + 1)));
        if (key == "cycles/second") cycles_per_second = number.value_or(0);
        if (key == "sampling period") period = number.value_or(period);
        continue;
      }
      in_header = false;
      LineParts parts(line_);
      const std::optional<int64_t> delay = parts.Number(), count = parts.Number();
      std::array<int64_t, 2> values{count.value_or(0), delay.value_or(0)};
      bool is_sample = delay && count && parts.Skip('@') && AddAddresses(parts.Rest(), 1, 1);
      if (is_sample && period > 0) {
        if (cycles_per_second > 0) {
          const double nanos = static_cast<double>(*delay) * static_cast<double>(period) /
                               (static_cast<double>(cycles_per_second) / 1e9);
          is_sample = std::abs(nanos) < 9.2e18;
          if (is_sample) values[1] = static_cast<int64_t>(nanos);
        }
        is_sample = is_sample && !__builtin_mul_overflow(values[0], period, &values[0]);
      }
      if (is_sample) {
        profile_->AddSample(values);
      } else if (Result<void> kept = Expect("1 2 @ 0x1 0x2"); !kept) {
        return kept;
      }
    }
    return {};
  }

  Result<void> ReadJava() {
    Next();
    const bool is_heap = line_.starts_with("--- heapz");
    int64_t period = 0;
    std::string_view resolution = is_heap ? "bytes" : "microseconds";
    bool has_columns = false;
    const auto add_columns = [&] {
      if (has_columns) return;
      has_columns = true;
      profile_->AddColumn(is_heap ? "inuse_objects" : "contentions", "count");
      profile_->AddColumn(is_heap ? "inuse_space" : "delay", resolution);
    };
    while (true) {
      const std::string_view before = rest_;
      if (!NextNotBlank()) break;
      const size_t equals = line_.find('=');
      if (!has_columns && equals != std::string_view::npos) {
        const std::string_view key = Trim(line_.substr(0, equals)), value = Trim(line_.substr(equals + 1));
        if (key == "resolution") resolution = value;
        if (key == "sampling period") period = ParseInteger(value).value_or(0);
        continue;
      }
      add_columns();
      if (line_.starts_with("0x")) {
        rest_ = before;
        return {};
      }
      LineParts parts(line_);
      const std::optional<int64_t> amount = parts.Number(), count = parts.Number();
      std::array<int64_t, 2> values{count.value_or(0), amount.value_or(0)};
      bool is_sample =
          amount && count && parts.Skip('@') && !(is_heap && *count == 0) && AddAddresses(parts.Rest(), 0, 0);
      if (is_sample && is_heap) {
        constexpr int64_t kSamplingRate = 512 << 10;
        Unsample(&values[0], &values[1], kSamplingRate);
      } else if (is_sample && period != 0) {
        is_sample = !__builtin_mul_overflow(values[0], period, &values[0]) &&
                    !__builtin_mul_overflow(values[1], period, &values[1]);
      }
      if (is_sample) {
        profile_->AddSample(values);
      } else if (Result<void> kept = Expect("1 2 @ 0x1 0x2"); !kept) {
        return kept;
      }
    }
    add_columns();
    return {};
  }

  Result<void> ReadGoCount() {
    NextNotBlank();
    profile_->AddColumn(line_.substr(0, line_.find(' ')), "count");
    while (NextNotBlank() && !line_.starts_with("---")) {
      EndGoSymbols();
      LineParts parts(line_);
      const std::optional<int64_t> count = parts.Number();
      if (count && parts.Skip('@') && AddAddresses(parts.Rest(), 1, 1)) {
        profile_->AddSample({&*count, 1});
      } else if (Result<void> kept = Expect("1 @ 0x1 0x2"); !kept) {
        return kept;
      }
    }
    return {};
  }

  Result<void> ReadThreads() {
    NextNotBlank();
    profile_->AddColumn("thread", "count");
    if (line_.starts_with("--- threadz ")) {
      while (Next() && !line_.starts_with('-')) {
      }
    }
    while (!IsMapHeader(line_) && !line_.starts_with("---- no stack trace for") && !rest_.empty()) {
      if (!line_.starts_with("--- Thread ")) {
        if (Result<void> kept = Expect("--- Thread 7f12 (name: NAME/12) stack: ---"); !kept) return kept;
      }
      bool is_same = false, has_addresses = false;
      bool is_leaf = true;
      bool is_sample = true;
      while (Next() && !line_.starts_with("---")) {
        if (line_.find("same as previous thread") != std::string_view::npos) {
          is_same = true;
          continue;
        }
        is_sample = AddAddresses(line_, is_leaf ? 0 : 1, 1) && is_sample;
        AddThreadSymbol(is_leaf ? 0 : 1);
        has_addresses = has_addresses || line_.find("0x") != std::string_view::npos;
        is_leaf = !has_addresses;
      }
      if (!is_sample) {
        if (Result<void> kept = Expect("addresses of 64 bits before it"); !kept) return kept;
      } else if (has_addresses && !is_same) {
        constexpr int64_t kOne = 1;
        profile_->AddSample({&kOne, 1});
      } else {
        profile_->DropAddresses();
        if (!profile_->samples().empty()) ++profile_->LastValue(0);
      }
    }
    return {};
  }

  // "PC:  0x00bc8f1c: helper(arg *)": an address and its name.
  void AddThreadSymbol(uint64_t adjustment) {
    const size_t begin = line_.find("0x");
    if (begin == std::string_view::npos) return;
    uint64_t address = 0;
    const auto [end, error] = std::from_chars(line_.data() + begin + 2, line_.data() + line_.size(), address, 16);
    const std::string_view rest = line_.substr(static_cast<size_t>(end - line_.data()));
    address -= adjustment;
    if (error != std::errc() || !rest.starts_with(": ") || profile_->HasSymbol(address)) return;
    profile_->AddSymbol(address, builder_->AddFrame(Trim(rest.substr(2)), FrameKind::kNative));
  }

  std::string_view rest_;
  std::string_view line_;
  uint64_t line_number_ = 0;
  LegacyProfile* profile_;
  ProfileBuilder* builder_;
  std::unordered_set<uint64_t> known_before_;
  std::vector<uint64_t> new_symbols_;
};

}  // namespace

LegacyText KindOfLegacyText(std::string_view head) {
  if (head.starts_with(kHeapHeader)) {
    const std::optional<HeapNumbers> header =
        ParseHeapNumbers(head.substr(kHeapHeader.size(), head.find('\n') - kHeapHeader.size()));
    return header ? LegacyText::kHeap : LegacyText::kNone;
  }
  std::string_view line;
  std::string_view rest = head;
  while (!rest.empty() && IsBlankOrComment(line)) line = Trim(TakeLine(&rest));
  if (line.starts_with("--- heapz 1 ---")) return LegacyText::kJava;
  if (line.starts_with("--- mutex:") || line.starts_with("--- contention:")) return LegacyText::kContention;
  if (line.starts_with("--- contentionz ")) {
    return rest.starts_with("format = java") ? LegacyText::kJava : LegacyText::kContention;
  }
  if (line.starts_with("--- threadz ") || (line.starts_with("--- Thread ") && line.ends_with("stack: ---"))) {
    return LegacyText::kThreads;
  }
  constexpr std::string_view kTotal = " profile: total ";
  const size_t total = line.find(kTotal);
  const bool is_count = total != std::string_view::npos && line.find(' ') == total && total > 0 &&
                        IsDigits(line.substr(total + kTotal.size()));
  return is_count ? LegacyText::kGoCount : LegacyText::kNone;
}

Result<void> ReadLegacyText(LegacyText kind, std::string_view lines, LegacyProfile* profile) {
  return TextProfileReader(lines, profile).Read(kind);
}

}  // namespace sparkprof
