// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Access to an application, as in Spark's History Server with spark.history.ui.acls.enable: its user, and the users
// and groups in its settings spark.ui.view.acls, spark.admin.acls and the corresponding group settings; "*" means
// everyone.

struct Viewer {
  std::string user;  // empty = anonymous, never an application's user
  std::vector<std::string> groups;
};

// Comma-separated names, trimmed.
std::vector<std::string> AclNames(std::string_view list);

// The permitted users and groups as text that databases can search: "\nuser:alice\nuser:*\ngroup:etl\n".
std::string ViewersOf(const Application& application);

// Search texts: `viewer` may see the application if ViewersOf contains one of them.
std::vector<std::string> ViewerTerms(const Viewer& viewer);
bool MayView(std::string_view viewers, const Viewer& viewer);

}  // namespace sparkprof
