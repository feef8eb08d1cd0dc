// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "inputs/inputs.h"

namespace sparkprof {

// Identity of an input according to its path and the start of its content.
struct InputIdentity {
  std::string application_id;  // empty = unknown
  std::string attempt;
  // Key that inputs of one application share without its ID: a Databricks cluster (CLUSTER/driver, CLUSTER/executor,
  // CLUSTER/eventlog), or pods named after one job. Empty = none.
  std::string home;
  bool is_driver = false;  // whether it is a driver's text log
};
InputIdentity IdentityOf(const Input& input);

// The first application ID in a text: "application_1603128018386_7846", "app-20190214152544-0001",
// "local-1532512550423", "spark-195580588c0f4597ade9c93018b4e67f"; empty if there is none.
std::string_view FindApplicationId(std::string_view text);

// Returns "2" for "container_e17_1603128018386_7846_02_000001"; empty if there is none.
std::string AttemptOfContainer(std::string_view container);

}  // namespace sparkprof
