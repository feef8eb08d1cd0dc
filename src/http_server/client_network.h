// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// The network of a client's address: the IPv4 address, or the first 64 bits of an IPv6 address, since one client has
// all addresses below them.
std::string ClientNetwork(std::string_view address);

}  // namespace sparkprof
