// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Users who may see an application, like in Spark's History Server with spark.history.ui.acls.enable: its user, and the
// users and groups in its settings spark.ui.view.acls, spark.admin.acls and their lists of groups; "*" is everybody.

// Somebody who asks.
struct Viewer {
  std::string user;  // empty: has no name, is no application's user
  std::vector<std::string> groups;
};

// The names behind commas, without blanks, as Spark reads them.
std::vector<std::string> AclNames(std::string_view list);

// The users and groups that may see it, as text that databases search: "\nuser:alice\nuser:*\ngroup:etl\n".
std::string ViewersOf(const Application& application);

// Texts of which one must be in that text so that `viewer` may see the application.
std::vector<std::string> ViewerTerms(const Viewer& viewer);
bool MayView(std::string_view viewers, const Viewer& viewer);

}  // namespace sparkprof
