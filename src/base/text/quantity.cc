// SPDX-License-Identifier: Apache-2.0
#include "base/text/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/text/characters.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

struct Unit {
  std::string_view name;
  int64_t factor;
};

constexpr int64_t kBillion = 1'000'000'000;
constexpr int64_t kKilo = 1024, kMega = kKilo * 1024, kGiga = kMega * 1024, kTera = kGiga * 1024;

constexpr Unit kDurationUnits[] = {{"ns", 1},
                                   {"us", 1'000},
                                   {"ms", 1'000'000},
                                   {"s", kBillion},
                                   {"m", 60 * kBillion},
                                   {"min", 60 * kBillion},
                                   {"h", 3'600 * kBillion},
                                   {"d", 86'400 * kBillion}};

constexpr Unit kByteUnits[] = {{"", 1},        {"b", 1},      {"k", kKilo},   {"kb", kKilo}, {"kib", kKilo},
                               {"m", kMega},   {"mb", kMega}, {"mib", kMega}, {"g", kGiga},  {"gb", kGiga},
                               {"gib", kGiga}, {"t", kTera},  {"tb", kTera},  {"tib", kTera}};

// Parts of a number: "1.50 MS" consists of "1", "50" and "ms".
struct Parts {
  std::string_view whole, fraction;
  std::string unit;
};

std::optional<Parts> TakeApart(std::string_view text) {
  text = Trim(text);
  const auto take_digits = [&text] {
    const size_t count = static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin());
    const std::string_view digits = text.substr(0, count);
    text.remove_prefix(count);
    return digits;
  };
  Parts parts;
  parts.whole = take_digits();
  if (parts.whole.empty()) return std::nullopt;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = take_digits();
    if (parts.fraction.empty()) return std::nullopt;
  }
  parts.unit = ToLowerAscii(Trim(text));
  return parts;
}

// The number times the unit, rounded down; nullopt on overflow.
std::optional<int64_t> Multiply(const Parts& parts, int64_t unit) {
  int64_t whole = 0;
  for (const char digit : parts.whole) {
    if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, digit - '0', &whole)) {
      return std::nullopt;
    }
  }
  // Starts at the last digit and rounds down at each, which rounds down the complete fraction.
  int64_t rest = 0;
  for (size_t i = parts.fraction.size(); i-- > 0;) rest = ((parts.fraction[i] - '0') * unit + rest) / 10;
  int64_t value = 0;
  if (__builtin_mul_overflow(whole, unit, &value) || __builtin_add_overflow(value, rest, &value)) return std::nullopt;
  return value;
}

Result<int64_t> ParseQuantity(std::string_view text, std::span<const Unit> units, std::string_view kind,
                              std::string_view advice) {
  if (Trim(text).empty()) return Fail("is empty");
  const std::optional<Parts> parts = TakeApart(text);
  if (!parts) return Fail(fmt::format("is not {}; {}", kind, advice));
  const auto unit =
      std::find_if(units.begin(), units.end(), [&](const Unit& known) { return known.name == parts->unit; });
  if (unit == units.end()) {
    return Fail(fmt::format("has {} unit; {}", parts->unit.empty() ? "no" : "an unknown", advice));
  }
  const std::optional<int64_t> value = Multiply(*parts, unit->factor);
  if (!value) return Fail("is too large");
  return *value;
}

// Uses the largest unit (from the last on) that divides `value`.
std::string Text(int64_t value, std::span<const Unit> units) {
  const auto unit =
      std::find_if(units.rbegin(), units.rend(), [&](const Unit& one) { return value % one.factor == 0; });
  return fmt::format("{}{}", value / unit->factor, unit->name);
}

}  // namespace

Result<int64_t> ParseDuration(std::string_view text) {
  return ParseQuantity(text, kDurationUnits, "a duration", "use ns, us, ms, s, m, h or d, for instance 10ms");
}

Result<int64_t> ParseDurationOrSeconds(std::string_view text) {
  const std::optional<Parts> parts = TakeApart(text);
  return ParseDuration(parts && parts->unit.empty() ? std::string(Trim(text)) + "s" : std::string(text));
}

Result<int64_t> ParseBytes(std::string_view text) {
  return ParseQuantity(text, kByteUnits, "a number of bytes", "use none, k, m, g or t, for instance 512k");
}

Result<int64_t> ParseBillionths(std::string_view text) {
  if (Trim(text).empty()) return Fail("is empty");
  const std::optional<Parts> parts = TakeApart(text);
  const auto is_zero = [](char c) { return c == '0'; };
  if (parts && parts->unit.empty()) {
    const std::optional<int64_t> value = Multiply(*parts, kBillion);
    // "1.0000000000001" is above 1, although it is rounded down to it.
    const bool is_above = value == kBillion && !std::all_of(parts->fraction.begin(), parts->fraction.end(), is_zero);
    if (value && *value <= kBillion && !is_above) return *value;
  }
  return Fail("is not a number from 0 to 1, for instance 0.25");
}

std::string Refusal(std::string_view name, std::string_view text, const Error& wrong) {
  return fmt::format("{}: \"{}\" {}", name, ToOneLine(text), wrong.message);
}

std::string DurationText(int64_t nanos) {
  static constexpr Unit kUnits[] = {{"ns", 1},       {"us", 1'000},          {"ms", 1'000'000},
                                    {"s", kBillion}, {"min", 60 * kBillion}, {"h", 3'600 * kBillion}};
  return Text(nanos, kUnits);
}

std::string BytesText(int64_t bytes) {
  static constexpr Unit kUnits[] = {{"B", 1}, {"KiB", kKilo}, {"MiB", kMega}, {"GiB", kGiga}, {"TiB", kTera}};
  return Text(bytes, kUnits);
}

}  // namespace sparkprof
