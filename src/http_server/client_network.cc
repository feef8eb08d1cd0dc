// SPDX-License-Identifier: Apache-2.0
#include "http_server/client_network.h"

#include <arpa/inet.h>

#include <algorithm>

namespace sparkprof {

std::string ClientNetwork(std::string_view address) {
  const std::string text(address.substr(0, address.find('%')));
  in6_addr number{};
  if (inet_pton(AF_INET6, text.c_str(), &number) != 1) return text;
  if (IN6_IS_ADDR_V4MAPPED(&number)) return text.substr(text.rfind(':') + 1);
  std::fill(number.s6_addr + 8, number.s6_addr + 16, uint8_t{0});
  char network[INET6_ADDRSTRLEN] = {};
  inet_ntop(AF_INET6, &number, network, sizeof(network));
  return network;
}

}  // namespace sparkprof
