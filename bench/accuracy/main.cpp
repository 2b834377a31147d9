#include "bench/accuracy/accuracy_files.h"
#include "bench/accuracy/accuracy_report.h"
#include "bench/accuracy/cross_validation.h"

#include "core/base/resources.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string_view>

using namespace shardscope;

namespace
{

constexpr const char* help =
    "shardscope-accuracy [COMMAND]: how far predicted times are from published measurements\n"
    "  summary  errors of the constants that ship, in one line (the default)\n"
    "  curves   collectives against published nccl-tests curves, with presets and calibrated\n"
    "  unseen   training steps that no constant was fitted to\n"
    "  partial  training steps whose sources leave something open\n"
    "  fit      finds the constants again and prints them; presets are changed by hand\n"
    "  write    cross-validates (minutes) and writes docs/accuracy.md, resources/accuracy/*.json and\n"
    "           resources/presets/time_errors.json\n";

int fail(const std::string& sentence)
{
    std::fprintf(stderr, "shardscope-accuracy: error: %s\n", sentence.c_str());
    return EXIT_FAILURE;
}

bool writeFile(const std::filesystem::path& file, const std::string& text)
{
    std::filesystem::create_directories(file.parent_path());
    std::ofstream stream{file, std::ios::binary};
    stream << text;
    return stream.good();
}

Residuals fittedResiduals(std::vector<TruthCase> cases, const Laws& laws)
{
    Residuals residuals;
    residuals.cases = std::move(cases);
    for (const TruthCase& entry : residuals.cases)
        residuals.fitted_s.push_back(predictedTime(entry, laws));
    return residuals;
}

int write(Residuals residuals, const PublishedRuns& published, const Laws& laws)
{
    const auto sourceOf = [](const TruthCase& entry) { return entry.source; };
    residuals.source_left_out_s = crossValidated(residuals.cases, laws, sourceOf);
    residuals.size_left_out_s = crossValidated(residuals.cases, laws, sizeClass);
    for (const TruthCase& entry : residuals.cases) {
        residuals.carried_over_s.push_back(predictedTime(entry, carriedOver(laws, entry.gpu)));
        residuals.li_s.push_back(predictedTimeOfLi(entry));
    }
    const std::filesystem::path root{SHARDSCOPE_SOURCE_FOLDER};
    const std::filesystem::path accuracy = root / "resources/accuracy";
    const bool written =
        writeFile(root / "docs/accuracy.md", accuracyDocument(residuals, published, laws))
        && writeFile(accuracy / "cases.json", casesFile(residuals, published))
        && writeFile(accuracy / "partial_steps.json", partialStepsFile(published.partial.told))
        && writeFile(accuracy / "schedules.json", schedulesFile(published.schedules))
        && writeFile(accuracy / "memory.json", memoryFile(published.memory))
        && writeFile(accuracy / "messages.json", messagesFile(published.curves.points))
        && writeFile(root / "resources/presets/time_errors.json", timeErrorsFile(residuals));
    return written ? EXIT_SUCCESS : fail(root.string() + " cannot be written; give yourself the right to");
}

// Beside collectives and unseen steps, which are read by themselves.
Result<PublishedRuns> readPublishedRuns(const std::filesystem::path& file, const Presets& presets)
{
    PublishedRuns published;
    for (const auto& [read, into] :
         {std::pair{&readScheduleCases, &published.schedules},
          std::pair{&readExpertCases, &published.experts}, std::pair{&readMemoryCases, &published.memory}}) {
        Result<std::vector<TruthCase>> cases = read(file, presets);
        if (!cases)
            return cases.error();
        *into = std::move(cases).value();
    }
    Result<PartialSteps> partial = readPartialSteps(file, presets);
    if (!partial)
        return partial.error();
    published.partial = std::move(partial).value();
    return published;
}

// Of `summary`, `fit` and `write`.
int summarize(std::string_view command, const std::filesystem::path& truth, const Presets& presets,
              CollectiveCurves curves, std::vector<UnseenStep> unseen)
{
    auto cases = readTruthCases({truth / "public.json", truth / "vtrain_single_public.json"}, presets);
    if (!cases)
        return fail(cases.error().sentence);
    Result<PublishedRuns> published = readPublishedRuns(truth / "public.json", presets);
    if (!published)
        return fail(published.error().sentence);
    Laws laws = lawsOf(cases.value());
    if (command == "fit") {
        laws = fitLaws(casesForFit(cases.value()), laws);
        std::fputs(describe(laws).c_str(), stdout);
    }
    Residuals residuals = fittedResiduals(std::move(cases).value(), laws);
    std::fputs(accuracySummary(residuals).c_str(), stdout);
    if (command != "write")
        return EXIT_SUCCESS;
    PublishedRuns runs = std::move(published).value();
    runs.curves = std::move(curves);
    runs.unseen = std::move(unseen);
    return write(std::move(residuals), runs, laws);
}

int printPartialSteps(const std::filesystem::path& file, const Presets& presets)
{
    const Result<PartialSteps> steps = readPartialSteps(file, presets);
    if (!steps)
        return fail(steps.error().sentence);
    std::fputs(partialSection(steps.value()).c_str(), stdout);
    return EXIT_SUCCESS;
}

int run(std::string_view command)
{
    const Result<Presets> presets = Presets::load(resourcesFolder() / "presets");
    if (!presets)
        return fail(presets.error().sentence);
    const std::filesystem::path truth = std::filesystem::path{SHARDSCOPE_SHARED_FOLDER} / "truth";
    Result<CollectiveCurves> curves = command == "curves" || command == "write"
                                          ? readCollectiveCurves(truth / "hardware.json", presets.value())
                                          : CollectiveCurves{};
    if (!curves)
        return fail(curves.error().sentence);
    if (command == "curves") {
        std::fputs(collectiveSection(curves.value()).c_str(), stdout);
        return EXIT_SUCCESS;
    }
    auto unseen =
        readUnseenSteps(std::filesystem::path{SHARDSCOPE_SOURCE_FOLDER} / "bench/accuracy/unseen_steps.json",
                        presets.value());
    if (!unseen)
        return fail(unseen.error().sentence);
    if (command == "unseen") {
        std::fputs(unseenSection(unseen.value()).c_str(), stdout);
        return EXIT_SUCCESS;
    }
    if (command == "partial")
        return printPartialSteps(truth / "public.json", presets.value());
    return summarize(command, truth, presets.value(), std::move(curves).value(), std::move(unseen).value());
}

} // namespace

int main(int argc, char** argv)
{
    const std::span arguments{argv, static_cast<std::size_t>(argc)};
    const std::string_view command = argc > 1 ? arguments[1] : "summary";
    if (command != "summary" && command != "curves" && command != "unseen" && command != "partial"
        && command != "fit" && command != "write") {
        std::fputs(help, command == "--help" ? stdout : stderr);
        return command == "--help" ? EXIT_SUCCESS : 2;
    }
    return run(command);
}
