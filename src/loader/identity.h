// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "inputs/inputs.h"

namespace sparkprof {

// Whose an input is, as far as its layout and the begin of its content tell.
struct InputIdentity {
  std::string application_id;  // empty = they do not
  std::string attempt;
  // The same for inputs that the layout puts together without telling the application: those of one Databricks cluster
  // (CLUSTER/driver, CLUSTER/executor, CLUSTER/eventlog), pods with names of one job. Empty = it does not.
  std::string home;
  bool is_driver = false;  // a driver's text log
};
InputIdentity IdentityOf(const Input& input);

// The first application id in a text: "application_1603128018386_7846", "app-20190214152544-0001",
// "local-1532512550423", "spark-195580588c0f4597ade9c93018b4e67f"; empty when there is none.
std::string_view FindApplicationId(std::string_view text);

// "02" of "container_e17_1603128018386_7846_02_000001" as "2"; empty when there is none.
std::string AttemptOfContainer(std::string_view container);

}  // namespace sparkprof
