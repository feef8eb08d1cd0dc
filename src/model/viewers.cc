// SPDX-License-Identifier: Apache-2.0
#include "model/viewers.h"

#include <algorithm>
#include <set>
#include <span>

#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kUserSettings[] = {"spark.ui.view.acls", "spark.admin.acls"};
constexpr std::string_view kGroupSettings[] = {"spark.ui.view.acls.groups", "spark.admin.acls.groups"};
constexpr std::string_view kSparkProperties = "Spark";

// A line of the text. A name with line ends never matches.
std::string Term(std::string_view kind, std::string_view name) {
  return "\n" + std::string(kind) + ":" + std::string(name) + "\n";
}

bool IsName(std::string_view text) { return !text.empty() && text.find('\n') == std::string_view::npos; }

bool IsOneOfViewers(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string> AclNames(std::string_view list) {
  std::vector<std::string> names;
  for (const std::string_view part : Split(list, ',')) {
    if (const std::string_view name = Trim(part); IsName(name)) names.emplace_back(name);
  }
  return names;
}

std::string ViewersOf(const Application& application) {
  std::set<std::string> users, groups;
  if (IsName(application.user)) users.insert(application.user);
  for (const auto& [part, pairs] : application.environment) {
    if (part != kSparkProperties) continue;
    for (const auto& [name, value] : pairs) {
      if (!IsOneOfViewers(name, kUserSettings) && !IsOneOfViewers(name, kGroupSettings)) continue;
      std::vector<std::string> names = AclNames(value);
      (IsOneOfViewers(name, kUserSettings) ? users : groups).insert(names.begin(), names.end());
    }
  }
  std::string text;
  for (const std::string& user : users) text += "\nuser:" + user;
  for (const std::string& group : groups) text += "\ngroup:" + group;
  return text.empty() ? text : text + "\n";
}

std::string TenantOf(std::string_view viewers) {
  if (!viewers.starts_with(kTenantMark)) return {};
  viewers.remove_prefix(kTenantMark.size());
  return std::string(viewers.substr(0, viewers.find('\n')));
}

std::string InTenant(std::string_view viewers, const std::string& tenant) {
  if (tenant.empty()) return std::string(viewers);
  std::string text = std::string(kTenantMark) + tenant;
  for (const std::string_view line : Split(viewers, '\n')) {
    if (!line.empty()) text += std::string(kTenantMark) + tenant + "/" + std::string(line);
  }
  return text + "\n";
}

std::string WithoutTenant(std::string_view viewers) {
  const std::string tenant = TenantOf(viewers);
  if (tenant.empty()) return std::string(viewers);
  std::string text;
  for (const std::string_view line : Split(viewers, '\n')) {
    const size_t slash = line.find('/');
    if (slash != std::string_view::npos) text += "\n" + std::string(line.substr(slash + 1));
  }
  return text.empty() ? text : text + "\n";
}

bool IsTenant(std::string_view name) {
  constexpr size_t kMaxSize = 64;
  return !name.empty() && name.size() <= kMaxSize && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
           c == '-';
  });
}

std::vector<std::string> ViewerTerms(const Viewer& viewer) {
  const std::string tenant = viewer.tenant.empty() ? "" : "tenant:" + viewer.tenant;
  if (viewer.sees_all) return tenant.empty() ? std::vector<std::string>() : std::vector{"\n" + tenant + "\n"};
  const std::string user = tenant.empty() ? "user" : tenant + "/user";
  const std::string group = tenant.empty() ? "group" : tenant + "/group";
  std::vector<std::string> terms = {Term(user, "*"), Term(group, "*")};
  if (IsName(viewer.user)) terms.push_back(Term(user, viewer.user));
  for (const std::string& name : viewer.groups) {
    if (IsName(name)) terms.push_back(Term(group, name));
  }
  return terms;
}

bool MayView(std::string_view viewers, const Viewer& viewer) {
  if (viewer.sees_all && viewer.tenant.empty()) return viewers.find(kTenantMark) == std::string_view::npos;
  const std::vector<std::string> terms = ViewerTerms(viewer);
  return std::any_of(terms.begin(), terms.end(),
                     [viewers](const std::string& term) { return viewers.find(term) != std::string_view::npos; });
}

}  // namespace sparkprof
