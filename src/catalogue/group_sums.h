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
#include "catalogue/stack_dictionary.h"

namespace sparkprof {

// Sums findings over a range of applications, row by row as the database returns them.
class GroupFindingSums {
 public:
  // Add all applications before the findings. `entry` is the application's number in the database.
  void AddApplication(int64_t entry, ApplicationKey key, int64_t start_ns);
  // The title comes from the finding with the highest severity, then the largest gain, of the latest application.
  void AddFinding(int64_t entry, std::string_view rule, std::string_view severity, std::string_view title,
                  int64_t gain_ns);

  // Sorted by severity, then by number of applications, then by rule.
  std::vector<GroupFinding> Take();

 private:
  struct Ran {
    ApplicationKey key;
    int64_t start_ns = 0;
  };
  struct Sum {
    GroupFinding finding;
    int rank = 0;        // rank of finding.severity
    int title_rank = 0;  // rank of the finding with the title
    int64_t title_gain_ns = 0;
    std::unordered_set<int64_t> applications;  // entry numbers
  };

  std::unordered_map<int64_t, Ran> applications_;
  std::map<std::string, Sum, std::less<>> rules_;
};

// Samples of one event and unit. Units differ if a group contains profiles of several tools.
struct GroupEvent {
  std::string unit;
  StackSums stacks;
};

// Result of Catalogue::GroupSamples: uses the unit with the most samples; a note counts the others. All stacks must be
// in the dictionary.
Profile GroupProfile(const GroupRange& range, const std::string& event, const std::vector<GroupEvent>& samples,
                     const StackDictionary& dictionary);

}  // namespace sparkprof
