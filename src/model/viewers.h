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
  std::string tenant = {};  // sees nothing of other tenants; empty = the default tenant
  bool sees_all = false;    // every application of the tenant
};

// Comma-separated names, trimmed.
std::vector<std::string> AclNames(std::string_view list);

// The permitted users and groups as text that databases can search: "\nuser:alice\nuser:*\ngroup:etl\n".
std::string ViewersOf(const Application& application);

// The permitted users and groups of a tenant: "\ntenant:a\ntenant:a/user:alice\n", so that no name means somebody in
// another tenant. The text of the default tenant stays as it is.
std::string InTenant(std::string_view viewers, const std::string& tenant);
// The reverse.
std::string WithoutTenant(std::string_view viewers);
std::string TenantOf(std::string_view viewers);
inline constexpr std::string_view kTenantMark = "\ntenant:";  // in the texts of tenants only
// 1 to 64 letters, digits and "._-".
bool IsTenant(std::string_view name);

// Search texts: `viewer` may see the application if the text contains one of them. None if the viewer sees all
// applications of the default tenant, those without kTenantMark.
std::vector<std::string> ViewerTerms(const Viewer& viewer);
bool MayView(std::string_view viewers, const Viewer& viewer);

}  // namespace sparkprof
