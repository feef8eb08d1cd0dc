// SPDX-License-Identifier: Apache-2.0
#include "pictures/option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text/text.h"

namespace sparkprof {
namespace {

Result<void> CheckRange(const std::optional<NumberRange>& range, double number, const std::string& text) {
  if (!range) return {};
  const bool is_above = range->without_least ? number > range->least : number >= range->least;
  if (is_above && (!range->most || number <= *range->most)) return {};
  if (range->most) return Fail(fmt::format("{} must be from {:g} to {}", text, range->least, *range->most));
  return Fail(
      fmt::format("{} must be {} {:g}", text, range->without_least ? "greater than" : "at least", range->least));
}

template <typename Number>
Result<Number> ParseNumber(const std::string& text, const std::optional<NumberRange>& range) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(static_cast<double>(number))) {
    return Fail(fmt::format("\"{}\" is not a number", text));
  }
  if (Result<void> checked = CheckRange(range, static_cast<double>(number), text); !checked) {
    return tl::unexpected(checked.error());
  }
  return number;
}

Result<bool> ParseFlag(const std::string& text) {
  if (text.empty() || text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return Fail(fmt::format("'{}' is not true or false", text));
}

struct Setter {
  const RequestOption& option;
  const std::string& text;

  template <typename Number, typename Set>
  Result<void> SetNumber(Set set) const {
    const Result<Number> number = ParseNumber<Number>(text, option.range);
    if (!number) return tl::unexpected(number.error());
    set(*number);
    return {};
  }

  Result<void> operator()(bool* value) const {
    const Result<bool> flag = ParseFlag(text);
    if (!flag) return tl::unexpected(flag.error());
    *value = *flag;
    return {};
  }
  Result<void> operator()(std::string* value) const {
    const std::vector<std::string>& choices = option.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) {
      return Fail(fmt::format("{} not in {{{}}}", text, fmt::join(choices, ",")));
    }
    *value = text;
    return {};
  }
  Result<void> operator()(int64_t* value) const {
    return SetNumber<int64_t>([value](int64_t number) { *value = number; });
  }
  Result<void> operator()(double* value) const {
    return SetNumber<double>([value](double number) { *value = number; });
  }
  Result<void> operator()(std::optional<double>* value) const {
    return SetNumber<double>([value](double number) { *value = number; });
  }
  Result<void> operator()(std::vector<int64_t>* value) const {
    return SetNumber<int64_t>([value](int64_t number) { value->push_back(number); });
  }
  Result<void> operator()(const std::function<void()>& set) const {
    const Result<bool> flag = ParseFlag(text);
    if (!flag) return tl::unexpected(flag.error());
    if (*flag) set();
    return {};
  }
};

bool IsParameter(const RequestOption& option, std::string_view name) {
  if (option.scope != OptionScope::kEverywhere || name.size() < 2) return false;
  const std::vector<std::string_view> names = Split(option.names, ' ');
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string_view RequestOption::Name() const { return std::string_view(names).substr(0, names.find(' ')); }

Result<void> SetOption(const RequestOption& option, const std::string& text) {
  return std::visit(Setter{option, text}, option.value);
}

Result<void> SetOptions(const RequestOptions& options,
                        const std::vector<std::pair<std::string, std::string>>& parameters) {
  for (const auto& [name, value] : parameters) {
    const auto option = std::find_if(options.begin(), options.end(),
                                     [&name = name](const RequestOption& known) { return IsParameter(known, name); });
    if (option == options.end()) return Fail(fmt::format("unknown parameter '{}'", name));
    // An empty form field means that the option was not given.
    if (value.empty() && !option->IsFlag()) continue;
    if (Result<void> set = SetOption(*option, value); !set) {
      return Fail(fmt::format("{}: {}", name, set.error().message));
    }
  }
  return {};
}

}  // namespace sparkprof
