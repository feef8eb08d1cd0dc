// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// The colours that names have been given, so that several flame graphs agree: flamegraph.pl's --cp and its palette.map,
// a line "name->rgb(r,g,b)" for each name, in the order of names.
class PaletteMap {
 public:
  // A file that is not there has no colours. A line without "->" is an error: "FILE: line 3: expected …".
  Result<void> Read(const std::string& path);
  Result<void> Write(const std::string& path) const;

  // The name's colour, that of `make` when it had none.
  const std::string& ColorOf(std::string_view name, const std::function<std::string()>& make);

 private:
  std::map<std::string, std::string, std::less<>> colors_;
};

}  // namespace sparkprof
