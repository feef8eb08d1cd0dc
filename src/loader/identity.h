// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "inputs/inputs.h"

namespace sparkprof {

// The owner of an input, as far as its path and the start of its content show it.
struct InputIdentity {
  std::string application_id;  // empty = they do not
  std::string attempt;
  // A key for inputs of one application without its ID: those of a Databricks cluster (CLUSTER/driver,
  // CLUSTER/executor, CLUSTER/eventlog), or pods named after one job. Empty = none.
  std::string home;
  bool is_driver = false;  // a driver's text log
};
InputIdentity IdentityOf(const Input& input);

// The first application ID in a text: "application_1603128018386_7846", "app-20190214152544-0001",
// "local-1532512550423", "spark-195580588c0f4597ade9c93018b4e67f"; empty if there is none.
std::string_view FindApplicationId(std::string_view text);

// "02" of "container_e17_1603128018386_7846_02_000001" as "2"; empty if there is none.
std::string AttemptOfContainer(std::string_view container);

}  // namespace sparkprof
