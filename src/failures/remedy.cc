// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>

#include "base/text/quantity.h"
#include "base/text/text.h"
#include "failures/failures.h"

namespace sparkprof {
namespace {

constexpr double kMost = 1e15;
constexpr double kMebibyte = 1 << 20;

// The key before "=" in a step; empty for an action.
std::string_view SettingIn(std::string_view step) {
  const std::string_view key = step.substr(0, step.find('='));
  const bool is_key =
      key.size() < step.size() && key.find(' ') == std::string_view::npos && key.find('.') != std::string_view::npos;
  return is_key ? key : std::string_view();
}

std::optional<double> NumberIn(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  // Kubernetes writes "45318744Ki".
  const Result<int64_t> bytes = ParseBytes(text.ends_with('i') ? std::string(text) + "B" : std::string(text));
  return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
}

// "1.2", "used", "spark.kryoserializer.buffer.max?64m"
std::optional<double> Operand(std::string_view text, const FailureMatch& match, const NumberByName& number_of) {
  if (text.front() >= '0' && text.front() <= '9') return NumberIn(text);
  const size_t question = text.find('?');
  const std::string_view name = text.substr(0, question);
  if (const std::optional<std::string_view> value = match.values.Find(name)) return NumberIn(*value);
  if (const std::optional<double> value = number_of(name)) return value;
  return question == std::string_view::npos ? std::nullopt : NumberIn(text.substr(question + 1));
}

// Computes "overhead + 1.2 * used - limit m" from left to right, * and / first.
std::optional<double> Compute(std::string_view expression, const FailureMatch& match, const NumberByName& number_of) {
  double sum = 0, product = 0, sign = 1;
  char before = '+';
  double unit = 1;
  for (const std::string_view word : Split(expression, ' ')) {
    if (word == "m") {
      unit = kMebibyte;
    } else if (word.size() == 1 && std::string_view("+-*/").find(word[0]) != std::string_view::npos) {
      before = word[0];
    } else {
      const std::optional<double> operand = word.empty() ? std::nullopt : Operand(word, match, number_of);
      if (!operand) return std::nullopt;
      if (before == '*') {
        product *= *operand;
      } else if (before == '/') {
        product /= *operand;
      } else {
        sum += sign * product;
        sign = before == '-' ? -1 : 1;
        product = *operand;
      }
    }
  }
  const double result = std::ceil((sum + sign * product) / unit);
  return result > 0 && result < kMost ? std::optional(result) : std::nullopt;
}

// Computes "table without data" for lists of names: "`load_ts`". Empty if nothing remains.
std::optional<std::string> Without(std::string_view expression, const FailureMatch& match) {
  constexpr std::string_view kWithout = " without ", kBetween = ", ";
  const size_t at = expression.find(kWithout);
  if (at == std::string_view::npos) return std::nullopt;
  const auto all = match.values.Find(expression.substr(0, at));
  const auto others = match.values.Find(expression.substr(at + kWithout.size()));
  if (!all || !others) return std::nullopt;
  std::string left;
  for (std::string_view name : Split(*all, ',')) {
    name = Trim(name);
    while (name.ends_with('.')) name.remove_suffix(1);
    if (name.empty() || others->find(name) != std::string_view::npos) continue;
    left.append(left.empty() ? "" : kBetween).append(name);
  }
  return left.empty() ? std::nullopt : std::optional(std::move(left));
}

// Computes "{1.5 * heap m}m|half as much again" as "6144m"; without its numbers, the alternative after the bar.
std::string ValueOf(std::string_view text, const FailureMatch& match, const NumberByName& number_of) {
  const size_t bar = text.find('|');
  const std::string_view words = bar == std::string_view::npos ? std::string_view() : text.substr(bar + 1);
  std::string_view rest = text.substr(0, bar);
  std::string value;
  for (size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    const size_t close = rest.find('}', open);
    if (close == std::string_view::npos) break;
    const std::string_view expression = rest.substr(open + 1, close - open - 1);
    value += rest.substr(0, open);
    if (const std::optional<std::string_view> hole = match.values.Find(expression); hole) {
      value += *hole;
    } else if (const std::optional<std::string> names = Without(expression, match)) {
      value += *names;
    } else if (const std::optional<double> number = Compute(expression, match, number_of)) {
      value += std::to_string(static_cast<int64_t>(*number));
    } else {
      return words.empty() ? std::string() : ValueOf(words, match, number_of);
    }
    rest.remove_prefix(close + 1);
  }
  return value.append(rest);
}

}  // namespace

std::vector<RemedyStep> RemedyOf(const FailureMatch& match, const NumberByName& number_of) {
  std::vector<RemedyStep> steps;
  for (const std::string_view step : match.failure->remedy) {
    const std::string_view setting = SettingIn(step);
    const bool is_fixed = setting.empty() && step.find('{') == std::string_view::npos;
    const std::string_view value = setting.empty() ? step : step.substr(setting.size() + 1);
    steps.push_back({std::string(setting), is_fixed ? std::string(step) : ValueOf(value, match, number_of)});
  }
  return steps;
}

std::string MeaningOf(const FailureMatch& match, const NumberByName& number_of) {
  return ValueOf(match.failure->sentence, match, number_of);
}

std::string RemedyText(const std::vector<RemedyStep>& steps) {
  std::string text;
  for (const RemedyStep& step : steps) {
    if (!text.empty()) text += ". ";
    if (!step.setting.empty()) {
      // Words instead of a value: "Set spark.executor.memory to half as much again", "Set spark.executor.memory so that
      // it fits".
      text += "Set " + step.setting;
      text += step.value.find(' ') == std::string::npos ? "=" : step.value.starts_with("so that ") ? " " : " to ";
    }
    text += step.value;
  }
  return text;
}

}  // namespace sparkprof
