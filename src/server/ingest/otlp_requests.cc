// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <map>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/text/json_parser.h"
#include "formats/otlp/otlp_messages.h"
#include "model/segment/message_reader.h"
#include "server/ingest/profile_requests.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxServices = 256;
constexpr uint32_t kResourceProfiles = 1, kDictionary = 2;  // field numbers of the request

// Text attributes, inline or as a row of the dictionary.
struct Texts {
  std::vector<std::string_view> rows;
  std::string_view At(uint64_t row) const { return row < rows.size() ? rows[row] : std::string_view(); }
};

std::string_view ViewOf(MessageReader* message) {
  const protozero::data_view view = message->get_view();
  return {view.data(), view.size()};
}

Texts TextsOf(std::string_view dictionary) {
  Texts texts;
  MessageReader message{dictionary.data(), dictionary.size()};
  while (message.next()) {
    if (message.tag() == 5) {
      texts.rows.push_back(ViewOf(&message));
    } else {
      message.skip();
    }
  }
  return texts;
}

std::string ValueOf(MessageReader value, const Texts& texts) {
  std::string text;
  while (value.next()) {
    switch (value.tag()) {
      case 1:
        text = value.get_string();
        break;
      case 2:
        text = value.get_bool() ? "true" : "false";
        break;
      case 3:
        text = std::to_string(value.get_int64());
        break;
      case 4:
        text = fmt::format("{}", value.get_double());
        break;
      case 8:
        text = texts.At(value.get_uint64());
        break;
      default:  // lists and maps cannot be labels
        value.skip();
    }
  }
  return text;
}

void AddAttribute(MessageReader attribute, const Texts& texts, std::map<std::string, std::string>* labels) {
  std::string key, value;
  ReadFields(
      &attribute, key, [&] { value = ValueOf(attribute.get_message(), texts); },
      [&] { key = texts.At(attribute.get_uint64()); });
  if (!key.empty() && !value.empty()) (*labels)[key] = value;
}

std::map<std::string, std::string> LabelsOf(std::string_view resource_profiles, const Texts& texts) {
  std::map<std::string, std::string> labels;
  MessageReader message{resource_profiles.data(), resource_profiles.size()};
  ReadFields(&message, [&] {
    MessageReader resource = message.get_message();
    ReadFields(&resource, [&] { AddAttribute(resource.get_message(), texts, &labels); });
  });
  return labels;
}

// A service has several processes, so process attributes belong to samples, not to the service.
bool IsOfProcess(std::string_view label) { return label.starts_with("process."); }

// A host profiler sends resources of all processes, mostly without a service name. Processes of one container form one
// service; so do those outside of containers.
std::string TakeService(std::map<std::string, std::string>* labels) {
  const auto service = labels->extract("service.name");
  if (!service.empty()) return service.mapped();
  for (const char* const name : {"k8s.container.name", "container.name"}) {
    if (const auto found = labels->find(name); found != labels->end()) return found->second;
  }
  constexpr size_t kShortId = 12;  // length that Docker and containerd display
  const auto id = labels->find("container.id");
  return id == labels->end() ? "unknown_service" : "container-" + id->second.substr(0, kShortId);
}

std::string RequestOf(const std::vector<std::string_view>& resources, std::string_view dictionary) {
  std::string request;
  protozero::pbf_writer writer{request};
  for (const std::string_view resource : resources) {
    writer.add_message(kResourceProfiles, resource.data(), resource.size());
  }
  writer.add_message(kDictionary, dictionary.data(), dictionary.size());
  return request;
}

Result<void> ReadRequest(std::string_view body, ReceivedProfiles* received) {
  std::vector<std::string_view> resources;
  std::string_view dictionary;
  MessageReader message{body.data(), body.size()};
  while (message.next()) {
    if (message.tag() == kResourceProfiles) {
      resources.push_back(ViewOf(&message));
    } else if (message.tag() == kDictionary) {
      dictionary = ViewOf(&message);
    } else {
      message.skip();
    }
  }
  const Texts texts = TextsOf(dictionary);
  using Identity = std::pair<std::string, std::map<std::string, std::string>>;
  std::map<Identity, std::vector<std::string_view>> services;
  for (const std::string_view resource : resources) {
    std::map<std::string, std::string> labels = LabelsOf(resource, texts);
    std::erase_if(labels, [](const auto& label) { return IsOfProcess(label.first); });
    std::string service = TakeService(&labels);
    services[{std::move(service), std::move(labels)}].push_back(resource);
    if (services.size() > kMaxServices) {
      return Fail(fmt::format("more than {} services in one request", kMaxServices));
    }
  }
  for (const auto& [identity, of_service] : services) {
    received->contents.push_back(RequestOf(of_service, dictionary));
    received->profiles.push_back({.service = identity.first,
                                  .labels = identity.second,
                                  .content = received->contents.back(),
                                  .format = FindProfileFormat("otlp")});
  }
  return {};
}

}  // namespace

Result<ReceivedProfiles> ParseOtlpProfiles(std::string_view body, bool is_json) {
  std::string of_json;
  if (is_json) {
    JsonParser parser;
    simdjson::dom::object request;
    if (const auto error = parser.Parse(body).get(request); error != simdjson::SUCCESS) {
      return Fail(fmt::format("expected OTLP profiles in JSON: {}", simdjson::error_message(error)));
    }
    of_json = OtlpMessageOfJson(request);
    body = of_json;
  }
  ReceivedProfiles received;
  try {
    if (Result<void> read = ReadRequest(body, &received); !read) return tl::unexpected(read.error());
  } catch (const protozero::exception& error) {
    return Fail(fmt::format("expected OTLP profiles in protobuf: {}", error.what()));
  }
  return received;
}

}  // namespace sparkprof
