// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparkprof {

// The memory map at the end of a legacy profile: which file an address belongs to. Lines of /proc/PID/maps, or
// "START-END: FILE", after texts that glog may put before them; "name=value" lines stand for $name in those that
// follow. Read and applied like google/pprof's profile/legacy_profile.go.
class MemoryMap {
 public:
  // The rest of a profile; lines of other kinds are skipped.
  void AddLines(std::string_view lines);
  // Call after the last line.
  void Finish();

  // The file of `address`, "" if unknown.
  std::string_view FileOf(uint64_t address) const;

 private:
  struct Mapping {
    uint64_t start = 0;
    uint64_t limit = 0;
    uint64_t offset = 0;
    std::string file;
  };

  void AddLine(std::string_view line);
  std::string WithValues(std::string_view line) const;

  std::vector<Mapping> mappings_;
  std::vector<std::pair<std::string, std::string>> values_;  // of $name
};

}  // namespace sparkprof
