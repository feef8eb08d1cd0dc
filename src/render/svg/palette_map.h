// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// Colors shared by several flame graphs: flamegraph.pl's --cp and palette.map, one line "name->rgb(r,g,b)" per name,
// sorted by name.
class PaletteMap {
 public:
  // A missing file is empty. Fails for a line without "->": "FILE: line 3: expected …".
  Result<void> Read(const std::string& path);
  Result<void> Write(const std::string& path) const;

  // The color of a name; calls `make` for a new name.
  const std::string& ColorOf(std::string_view name, const std::function<std::string()>& make);

 private:
  std::map<std::string, std::string, std::less<>> colors_;
};

}  // namespace sparkprof
