// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "catalogue/catalogue.h"

namespace sparkprof {

// Adds up the findings of a range of applications, row by row as a database returns them.
class GroupFindingSums {
 public:
  // All applications come before the findings. `entry` is the database's number of the application.
  void AddApplication(int64_t entry, ApplicationKey key, int64_t start_ns);
  // Among the findings of one application, the one of the highest severity, then of the largest gain, gives the title.
  void AddFinding(int64_t entry, std::string_view rule, std::string_view severity, std::string_view title,
                  int64_t gain_ns);

  // The most severe first, then those of most applications, then by rule.
  std::vector<GroupFinding> Take();

 private:
  struct Ran {
    ApplicationKey key;
    int64_t start_ns = 0;
  };
  struct Sum {
    GroupFinding finding;
    int rank = 0;        // of finding.severity
    int title_rank = 0;  // of the finding that gave the title
    int64_t title_gain_ns = 0;
    std::unordered_set<int64_t> applications;  // entries
  };

  std::unordered_map<int64_t, Ran> applications_;
  std::map<std::string, Sum, std::less<>> rules_;
};

}  // namespace sparkprof
