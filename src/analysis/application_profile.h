// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"
#include "model/profile.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Adds `rows` of the application's samples. Times count from the Unix epoch.
void AddApplication(const Application& application, const std::vector<uint32_t>& rows, ProfileBuilder* builder);

// A profile as an application without jobs, for the report's page: threads, samples and, where the profile knows them,
// tasks and stages. Sample::event is the row of profile.events + 1, whatever that number means elsewhere. Times are cut
// in steps of a second.
Application ApplicationOf(const Profile& profile);

}  // namespace sparkprof
