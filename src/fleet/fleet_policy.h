// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Rules for the rows of a fleet, from a YAML file:
//   webhook: https://chat.example.com/hooks/abc    # optional: told of rules that do not hold
//   rules:
//     - name: idle-cores
//       table: applications                        # default
//       where: coreHours > 10 and wastedCoreHours > 0.6 * coreHours
//       most: 5                                    # rows that are accepted, default 0
//       message: Set dynamicAllocation.
struct PolicyRule {
  std::string name;
  std::string table = "applications";
  std::string where;  // a condition in DuckDB's SQL
  int64_t most = 0;
  std::string message;
};

struct Policy {
  std::string webhook;
  std::vector<PolicyRule> rules;
};

struct PolicyResult {
  PolicyRule rule;
  int64_t rows = 0;
  std::vector<std::string> examples;  // application or log of some of them

  bool IsBroken() const { return rows > rule.most; }
};

// Errors name the file and the line.
Result<Policy> ParsePolicy(const std::string& text, const std::string& name);
Result<Policy> ReadPolicy(const std::string& path);

// One result per rule. Conditions can read only the tables of the result: no files, no network.
Result<std::vector<PolicyResult>> CheckPolicy(const std::string& folder, const Policy& policy);

std::string PolicyJson(const std::vector<PolicyResult>& results);

// Posts JSON with the members "text" (for chats) and "rules".
Result<void> SendPolicyResults(const std::string& webhook, const std::string& text,
                               const std::vector<PolicyResult>& results);

}  // namespace sparkprof
