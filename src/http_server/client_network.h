// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// The network of a client's address: an IPv4 address, or the first 64 bits of an IPv6 address, of which one client has
// all.
std::string ClientNetwork(std::string_view address);

}  // namespace sparkprof
