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

// Places where an option may be set: over HTTP, no option may name files or select how inputs are read.
enum class OptionScope : uint8_t {
  kCommandLine,
  kEverywhere,
};

struct NumberRange {
  double least = 0;
  std::optional<double> most;
  bool without_least = false;
};

// A row of the table of options, bound to the value that it sets: `--title TEXT` on the command line, `title=TEXT` as a
// parameter of a request.
struct RequestOption {
  using Value = std::variant<bool*, std::string*, int64_t*, double*, std::optional<double>*, std::vector<int64_t>*,
                             std::function<void()>>;  // the last: called for a flag

  std::string names;  // separated by blanks; one letter is a short option of the command line
  OptionScope scope = OptionScope::kEverywhere;
  Value value;
  std::string help;
  std::string type_name;  // empty = that of the value
  std::optional<NumberRange> range;
  std::vector<std::string> choices;
  std::string shown_default;
  const char* group = nullptr;  // of the help; empty = not in it

  bool IsFlag() const { return value.index() == 0 || std::holds_alternative<std::function<void()>>(value); }
  // The first name.
  std::string_view Name() const;
};

using RequestOptions = std::vector<RequestOption>;

// Parses and checks `text` and sets the option's value. The message does not name the option.
Result<void> SetOption(const RequestOption& option, const std::string& text);

// Sets the options that the parameters of a request name. Fails for parameters that are not in the table for requests.
Result<void> SetOptions(const RequestOptions& options,
                        const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace sparkprof
