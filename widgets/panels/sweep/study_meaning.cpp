#include "widgets/panels/sweep/study_meaning.h"

#include "widgets/session/shown_text.h"

namespace shardscope
{

namespace
{

QString pictureMeaning(const Study& study)
{
    switch (study.picture) {
    case StudyPicture::layouts:
        return QStringLiteral(
            "Searches the layouts of the scenario's GPUs for the fastest, and for those that need "
            "less memory. What your framework does by default with a layout, such as overlapping "
            "messages, follows it unless you have set it otherwise. It may take some seconds.");
    case StudyPicture::map:
        return QStringLiteral(
            "Two figures are varied at once, as you choose them; colours tell the time or what "
            "else is drawn.");
    case StudyPicture::projection:
        return QStringLiteral("Single layers of many sizes on the scenario's GPU and links: how much of the "
                              "communication cannot be hidden.");
    case StudyPicture::measured:
        return QStringLiteral(
            "A measured iteration of the opened trace at the hidden size, the sequence length and the "
            "sequences of an iteration that the scenario has, and at twice and four times its own. The "
            "scenario whose messages the run sends is taken for the run's; else the pinned one.");
    case StudyPicture::futures:
        return QStringLiteral(
            "The scenario's last layer today, with faster GPUs, and with replicas behind slow "
            "links besides.");
    case StudyPicture::changes:
        return QStringLiteral(
            "Every setting changed by itself, and every part of the machine made twice as fast: what an "
            "iteration takes then, fastest first, and last what does not fit into memory. The model, the "
            "tokens of an iteration and the number of GPUs stay.");
    case StudyPicture::steps:
        return QStringLiteral(
            "What each difference from the pinned scenario does to an iteration, one after the other in the "
            "order of the form. The share of a step depends on the steps before it.");
    case StudyPicture::bars:
        break;
    }
    const QString groups = study.group_axis ? QStringLiteral(", each with several values of the %1")
                                                  .arg(toQString(axisName(*study.group_axis)))
                                            : QString{};
    return QStringLiteral("A bar for each value of: %1%2. Whatever is not named stays as in the scenario.")
        .arg(toQString(axisTitle(study.axis)), groups);
}

} // namespace

QString studyMeaning(const Study& study)
{
    const QString meaning = pictureMeaning(study);
    return study.source.empty() ? meaning
                                : meaning + QStringLiteral(" As in %1.").arg(toQString(study.source));
}

} // namespace shardscope
