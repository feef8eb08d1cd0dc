// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"
#include "http/url.h"
#include "storage/expiring_value.h"

namespace sparkprof {

using OAuthToken = ExpiringValue<std::string>;

// Requests a token from an OAuth server: with GET if `form` is empty, else with POST. The response is {"access_token":
// …, "expires_in": SECONDS}.
Result<OAuthToken::Known> AskForToken(const std::string& url, const HttpHeaders& headers, const std::string& form);

// Formats "name=value&name=value", encoded.
std::string FormOf(std::initializer_list<std::pair<std::string_view, std::string_view>> fields);

}  // namespace sparkprof
