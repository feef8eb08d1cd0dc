// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/otlp_requests.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <map>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/json_parser.h"
#include "formats/otlp/otlp_json.h"
#include "model/message_reader.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxResources = 256;
constexpr uint32_t kResourceProfiles = 1, kDictionary = 2;  // of the request

// Text of attributes, directly or as a row of the dictionary.
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
      default:  // lists and maps are no labels
        value.skip();
    }
  }
  return text;
}

void AddAttribute(MessageReader attribute, const Texts& texts, std::map<std::string, std::string>* labels) {
  std::string key, value;
  while (attribute.next()) {
    switch (attribute.tag()) {
      case 1:
        key = attribute.get_string();
        break;
      case 2:
        value = ValueOf(attribute.get_message(), texts);
        break;
      case 3:
        key = texts.At(attribute.get_uint64());
        break;
      default:
        attribute.skip();
    }
  }
  if (!key.empty() && !value.empty()) (*labels)[key] = value;
}

std::map<std::string, std::string> LabelsOf(std::string_view resource_profiles, const Texts& texts) {
  std::map<std::string, std::string> labels;
  MessageReader message{resource_profiles.data(), resource_profiles.size()};
  while (message.next()) {
    if (message.tag() != 1) {
      message.skip();
      continue;
    }
    MessageReader resource = message.get_message();
    while (resource.next()) {
      if (resource.tag() == 1) {
        AddAttribute(resource.get_message(), texts, &labels);
      } else {
        resource.skip();
      }
    }
  }
  return labels;
}

// A request with this resource alone.
std::string RequestOf(std::string_view resource_profiles, std::string_view dictionary) {
  std::string request;
  protozero::pbf_writer writer{request};
  writer.add_message(kResourceProfiles, resource_profiles.data(), resource_profiles.size());
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
  if (resources.size() > kMaxResources) {
    return Fail(fmt::format("{} resources in one request, expected at most {}", resources.size(), kMaxResources));
  }
  const Texts texts = TextsOf(dictionary);
  for (const std::string_view resource : resources) {
    ReceivedProfile profile;
    profile.labels = LabelsOf(resource, texts);
    const auto service = profile.labels.extract("service.name");
    profile.service = service.empty() ? "unknown_service" : service.mapped();
    profile.format = FindProfileFormat("otlp");
    received->contents.push_back(RequestOf(resource, dictionary));
    profile.content = received->contents.back();
    received->profiles.push_back(std::move(profile));
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
