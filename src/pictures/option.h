// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Places where an option may be set. Over HTTP, options must not name files or affect how inputs are read.
enum class OptionScope : uint8_t {
  kCommandLine,
  kEverywhere,
};

struct NumberRange {
  double least = 0;
  std::optional<double> most;
  bool without_least = false;
};

// An option bound to its value: `--title TEXT` on the command line, `title=TEXT` as a request parameter.
struct RequestOption {
  using Value = std::variant<bool*, std::string*, int64_t*, double*, std::optional<double>*, std::vector<int64_t>*,
                             std::function<void()>>;  // a function is called for a flag

  std::string names;  // separated by spaces; a single letter is a short command-line option
  OptionScope scope = OptionScope::kEverywhere;
  Value value;
  std::string help;
  std::string type_name;  // empty = derived from the value
  std::optional<NumberRange> range;
  std::vector<std::string> choices;
  std::string shown_default;
  const char* group = nullptr;  // group in the help; empty = hidden

  bool IsFlag() const { return value.index() == 0 || std::holds_alternative<std::function<void()>>(value); }
  std::string_view Name() const;
};

using RequestOptions = std::vector<RequestOption>;

// Parses and checks `text` and sets the option's value. The error does not include the option's name.
Result<void> SetOption(const RequestOption& option, const std::string& text);

// Sets options from request parameters. Fails for parameters that are not in the table for requests.
Result<void> SetOptions(const RequestOptions& options,
                        const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace sparkprof
