// SPDX-License-Identifier: Apache-2.0
#include "history/spark_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "base/saturate.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// Formats `value` with `digits` decimals as Java does: takes the shortest decimal form of the double, and rounds half
// up.
std::string RoundHalfUp(double value, size_t digits) {
  std::string text = fmt::format("{}", value);
  if (text.find('e') != std::string::npos) text = fmt::format("{:f}", value);
  size_t point = text.find('.');
  if (point == std::string::npos) {
    point = text.size();
    text += '.';
  }
  const size_t end = point + 1 + digits;
  if (text.size() <= end) return text + std::string(end - text.size(), '0');
  bool carry = text[end] >= '5';
  text.resize(end);
  for (size_t at = end; carry && at-- > 0;) {
    if (text[at] == '.' || text[at] == '-') continue;
    carry = text[at] == '9';
    text[at] = carry ? '0' : static_cast<char>(text[at] + 1);
  }
  if (carry) text.insert(0, 1, '1');
  return text;
}

std::string WithCommas(std::string digits) {
  const size_t sign = digits.starts_with('-') ? 1 : 0;
  const size_t point = std::min(digits.find('.'), digits.size());
  for (size_t at = point; at > sign + 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

// Spark stores metrics of type average multiplied by ten.
std::string AverageText(int64_t tenths) {
  const int64_t rest = std::abs(tenths % 10);
  std::string text = fmt::format("{}{}", tenths < 0 ? "-" : "", std::abs(tenths / 10));
  if (rest != 0) text += fmt::format(".{}", rest);
  return WithCommas(text);
}

constexpr std::string_view kSuffix = "(min, med, max (stageId: taskId))";

std::string TaskText(const MetricMaximum* maximum) {
  if (maximum == nullptr) return "(driver)";
  return fmt::format("(stage {}.{}: task {})", maximum->stage, maximum->attempt, maximum->task);
}

// Sorted values; the first `zeros` are 0.
class SortedValues {
 public:
  SortedValues(std::vector<int64_t> values, int64_t zeros) : values_(std::move(values)), zeros_(zeros) {
    std::sort(values_.begin(), values_.end());
  }

  int64_t Size() const { return zeros_ + static_cast<int64_t>(values_.size()); }
  int64_t At(int64_t row) const { return row < zeros_ ? 0 : values_[static_cast<size_t>(row - zeros_)]; }
  int64_t Sum() const {
    int64_t sum = 0;
    for (const int64_t value : values_) AddSaturated(value, &sum);
    return sum;
  }

 private:
  std::vector<int64_t> values_;  // positive values
  int64_t zeros_;
};

std::string AverageMetricText(MetricValues metric) {
  std::erase_if(metric.values, [](int64_t value) { return value <= 0; });
  const SortedValues sorted(std::move(metric.values), 0);
  if (sorted.Size() <= 1) return AverageText(sorted.Size() == 0 ? 0 : sorted.At(0));
  return fmt::format("{}:\n({}, {}, {} {})", kSuffix, AverageText(sorted.At(0)),
                     AverageText(sorted.At(sorted.Size() / 2)), AverageText(sorted.At(sorted.Size() - 1)),
                     TaskText(metric.maximum));
}

std::string TotalMetricText(MetricValues metric, const std::function<std::string(int64_t)>& text) {
  std::erase_if(metric.values, [](int64_t value) { return value < 0; });
  const SortedValues sorted(std::move(metric.values), metric.zeros);
  if (sorted.Size() <= 1) return text(sorted.Size() == 0 ? 0 : sorted.At(0));
  return fmt::format("total {}\n{} ({}, {}, {} {})", kSuffix, text(sorted.Sum()), text(sorted.At(0)),
                     text(sorted.At(sorted.Size() / 2)), text(sorted.At(sorted.Size() - 1)), TaskText(metric.maximum));
}

}  // namespace

std::string SparkBytes(int64_t bytes) {
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  while (unit + 1 < std::size(kUnits) && (bytes >> (10 * (unit + 1))) >= 2) ++unit;
  const uint64_t size = uint64_t{1} << (10 * unit);
  const auto all = static_cast<uint64_t>(bytes);
  const uint64_t tenths = all / size * 10 + ((all % size) * 10 + size / 2) / size;  // rounded half up
  return fmt::format("{}.{} {}", tenths / 10, tenths % 10, kUnits[unit]);
}

std::string SparkDuration(int64_t millis) {
  constexpr int64_t kSecond = 1000;
  constexpr int64_t kMinute = 60 * kSecond;
  constexpr int64_t kHour = 60 * kMinute;
  if (millis < kSecond) return fmt::format("{} ms", millis);
  // Spark divides as floats.
  const auto in = [&](int64_t unit) {
    return static_cast<double>(static_cast<float>(millis) / static_cast<float>(unit));
  };
  if (millis < kMinute) return RoundHalfUp(in(kSecond), 1) + " s";
  if (millis < kHour) return RoundHalfUp(in(kMinute), 1) + " m";
  return RoundHalfUp(in(kHour), 2) + " h";
}

std::string SparkInteger(int64_t number) { return WithCommas(std::to_string(number)); }

std::string MetricText(const std::string& type, MetricValues metric) {
  if (type == "average") return AverageMetricText(std::move(metric));
  if (type == "size") return TotalMetricText(std::move(metric), SparkBytes);
  if (type == "timing") return TotalMetricText(std::move(metric), SparkDuration);
  if (type == "nsTiming") {
    return TotalMetricText(std::move(metric), [](int64_t nanos) { return SparkDuration(nanos / kNanosPerMilli); });
  }
  int64_t sum = 0;
  for (const int64_t value : metric.values) AddSaturated(value, &sum);
  return SparkInteger(sum);
}

}  // namespace sparkprof
