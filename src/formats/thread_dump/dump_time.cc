// SPDX-License-Identifier: Apache-2.0
#include "formats/thread_dump/dump_time.h"

#include <charconv>
#include <chrono>

#include "base/characters.h"
#include "base/time.h"

namespace sparkprof {

std::optional<int64_t> ParseDumpTime(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00 00:00:00";
  if (text.size() < kShape.size()) return std::nullopt;
  for (size_t i = 0; i < kShape.size(); ++i) {
    const bool fits = kShape[i] == '0'   ? IsDigit(text[i])
                      : kShape[i] == ' ' ? text[i] == ' ' || text[i] == 'T'
                                         : text[i] == kShape[i];
    if (!fits) return std::nullopt;
  }
  std::string_view rest = text.substr(kShape.size());
  int64_t nanos = 0;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    int64_t unit = kNanosPerSecond;
    while (!rest.empty() && IsDigit(rest.front())) {
      unit /= 10;
      nanos += (rest.front() - '0') * unit;
      rest.remove_prefix(1);
    }
  }
  if (!rest.empty() && rest != "Z") return std::nullopt;
  const auto number = [&](size_t begin, size_t size) {
    int value = 0;
    std::from_chars(text.data() + begin, text.data() + begin + size, value);
    return value;
  };
  const std::chrono::year_month_day day{std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  // Nanoseconds of other years may be too many.
  if (!day.ok() || number(0, 4) < 1970 || number(0, 4) > 2200) return std::nullopt;
  const int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
  return (((days * 24 + number(11, 2)) * 60 + number(14, 2)) * 60 + number(17, 2)) * kNanosPerSecond + nanos;
}

}  // namespace sparkprof
