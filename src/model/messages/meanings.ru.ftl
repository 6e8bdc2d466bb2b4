# What fields mean, for whom the name alone says too little. The id is the English text of the declaration, its words with
# hyphens between them; names of fields and options stand between backticks. A field without a text here has none in English.

# Animals

main-identification-number-written-as-idformat-says = Основной номер животного. Как он записывается, говорит поле `idFormat`.
format-of-the-main-number = Правила, по которым составлен основной номер: страна или система учёта.
what-limits-the-animals-use-for-breeding = Что не даёт использовать животное в воспроизводстве: фримартин, кастрат, крипторх, стерилизация.
day-of-birth-at-most-a-day-ahead-after-both-parents = Не позже завтрашнего дня и позже рождения обоих родителей.
main-breed = Порода, к которой животное отнесено целиком; доли других пород указывают ниже.
age-group-by-sex-age-and-calvings-where-nobody-stated-it = Если не указана, книга определяет её по полу, возрасту и отёлам.
day-since-which-the-age-group-holds-computed-with-it = День, с которого животное в этой группе; считается вместе с ней.
present-owner-changes-by-movements-only = Нынешний владелец. Он меняется только перемещением: продажей, арендой, передачей.
herd-of-the-owner-that-the-animal-stands-in = Стадо владельца, в котором животное стоит.
picture-of-the-animal-open-to-everybody-while-the-row-is = Снимок открыт всем, пока всем открыто само животное.
the-row-is-open-to-everybody = Животное видят все: кличку, номера, породу, владельца. Карточка с событиями остаётся закрытой.
together-with-publicvisible-opens-card-and-events-to-everybody = Вместе с полем `publicVisible` открывает всем и карточку с событиями.
whether-the-owner-archived-the-animal-it-is-deleted-after-30-days = Владелец убрал животное в архив; через 30 дней оно удаляется.
section-of-the-herd-book = Раздел племенной книги. Без него животное не получает регистрационного номера.
code-of-the-bulls-semen-one-of-naab-in-its-ten-characters-007ho14454 = Код спермы быка; американский код записывают целиком, десять знаков: 007HO14454.
base-number-in-the-federal-breeding-register = Базовый номер животного в государственной системе учёта племенных ресурсов.
registration-number-in-that-register = Номер записи о животном в той же системе.
unique-number-of-the-means-of-marking = Уникальный номер средства маркирования.
iso-11784-number-as-printed = Номер по ISO 11784, как он напечатан на бирке.
interbull-number-breed-country-sex-12-letters-and-digits-computed-while-empty = Номер Interbull: порода, страна, пол и 12 знаков. Пока поле пусто, его составляет книга.
working-number-on-the-farm = Рабочий номер в хозяйстве, по которому животное зовут каждый день.
electronic-identifier-iso-11784-15-digits = Электронный идентификатор по ISO 11784, 15 цифр.
mark-of-the-state-herd-book = Марка Государственной племенной книги.
number-in-the-state-herd-book = Номер в Государственной племенной книге.
national-number-in-that-country = Номер, под которым животное впервые записано в своей стране.
share-of-holstein-blood = Доля крови голштинской породы. Проверки сравнивают её с кровностью родителей.
farm-of-birth-that-is-not-in-the-book = Название хозяйства, которого в книге нет.
how-the-animal-was-conceived = При каком способе осеменения получено животное.
father-born-before-the-animal = Отец, который есть в книге; он родился раньше животного. Если его нет, номер пишут в поле `pedigreeText.fatherId`.
mother-born-before-the-animal = Мать, которая есть в книге; она родилась раньше животного. Если её нет, номер пишут в поле `pedigreeText.motherId`.
number-of-a-father-that-is-not-named-as-father = Номер отца, которого нет в книге.
number-of-a-mother-that-is-not-named-as-mother = Номер матери, которой нет в книге.
dam-family = Семейство, к которому животное относят по матери.
the-owners-own-notes = Заметки хозяйства для себя; другие их не видят.
day-the-animal-came-to-its-owner-set-by-movements = День, когда животное пришло к владельцу. Его ставят перемещения.
where-it-came-from-set-by-movements = Откуда животное пришло. Это ставят перемещения.
trust-level-1-rejected-0-draft-1-checked-by-the-owner-2-checked-by-a-laboratory-3-verified = −1: отклонено; 0: черновик; 1: проверено владельцем; 2: подтверждено лабораторией; 3: подтверждено Ассоциацией.
state-by-the-last-applied-movement-writing-it-records-or-amends-that-movement = Состояние по последнему перемещению. Если изменить его здесь, перемещение запишется или исправится.
day-of-the-closing-movement-writing-it-amends-that-movement = День, когда животное выбыло. Если изменить его здесь, исправится перемещение.
reason-of-the-closing-movement-writing-it-amends-that-movement = Причина выбытия. Если изменить её здесь, исправится перемещение.
receiver-of-the-closing-movement-writing-it-amends-that-movement = Кто принял животное. Если изменить это здесь, исправится перемещение.
gravest-open-finding-of-the-checks-about-the-animal-or-a-row-of-it-that-the-owner-reads-empty-not-checked-yet = Самое тяжёлое из открытых замечаний проверок о животном и его событиях. Пусто: ещё не проверено.
record-of-the-same-animal-into-which-this-record-was-merged = Запись о том же животном, с которой объединена эта.
inbreeding-coefficient-wright-of-the-whole-pedigree-unknown-parents-are-founders-and-without-any-parent-there-is-none = Коэффициент инбридинга по Райту по всей родословной. Неизвестные родители считаются неродственными; если не известен ни один из родителей, его нет.
equivalent-complete-generations-of-the-whole-pedigree = Сколько полных поколений предков известно: сумма долей известных предков по поколениям.
how-certain-the-father-is-by-genetic-tests-that-the-association-or-an-accredited-laboratory-vouches-for-confirmed-excluded-by-one-for-which-nobody-does-stated-without-any-declared = Насколько достоверен отец: по генетической экспертизе, за которую ручается Ассоциация или аккредитованная лаборатория, по экспертизе без такого подтверждения или без экспертизы.
how-certain-the-mother-is-by-the-same-rules = Насколько достоверна мать; правила те же, что для отца.
days-since-the-last-calving-while-in-milk-counted-on-each-day = Дни от последнего отёла, пока корова доится; счёт идёт каждый день.
days-with-an-insemination-since-the-last-calving-or-abortion = Сколько дней с осеменением было после последнего отёла или аборта.
expected-calving-of-the-present-gestation = Считается от осеменения, от которого корова стельна.
last-day-on-which-milk-is-not-delivered-of-all-health-events = Последний день, когда молоко не сдают, по всем ветеринарным событиям.
last-day-on-which-the-animal-is-not-slaughtered-of-all-health-events = Последний день, когда животное не забивают, по всем ветеринарным событиям.
somatic-cells-of-the-last-test-day-of-the-present-lactation-that-has-them-1000-ml = По последнему контрольному доению этой лактации, в котором есть клетки.
lactations-written-rows-are-stored-as-reported-and-shown-while-none-is-computed = Лактации, которые книга считает по контрольным доениям. Внесённые вручную показываются, пока рассчитать нечего.
index-of-breeding-value-of-the-current-evaluation-else-the-associations-index = Индекс племенной ценности из действующей оценки; если её нет, индекс Ассоциации.
complex-class-of-the-latest-grading = Комплексный класс по последней бонитировке.
how-reliable-the-production-values-are-1-is-the-lowest-class = Класс достоверности оценок по продуктивности; 1 — самый низкий.
how-reliable-the-health-values-are-1-is-the-lowest-class = Класс достоверности оценок по здоровью; 1 — самый низкий.
place-among-the-evaluated-animals = Место среди оценённых животных, в процентах.

# Movements

what-happened-an-absence-changes-neither-owner-nor-state-its-receiver-is-the-owner-when-the-animal-comes-back = Что произошло. Временное выбытие не меняет ни владельца, ни состояния; при возвращении получатель — сам владелец.
giver-the-owner-of-the-animal-when-left-out = Кто отдаёт животное; если не указать, это владелец.
receiver-none-for-culls-and-deaths = Кто принимает животное; при выбраковке и падеже не указывают.
how-the-animal-died-takes-precedence-over-the-method-of-the-reason = Как животное пало или забито; важнее того, что следует из причины.
the-movement-took-effect-only-the-latest-applied-one-decides = Перемещение действует; положение животного определяет последнее из проведённых.
whether-the-seller-has-to-confirm-what-the-buyer-recorded-and-whether-the-buyer-objected-to-what-the-seller-recorded = Должен ли продавец подтвердить запись покупателя, и возразил ли покупатель против записи продавца.
why-the-buyer-says-that-the-animal-is-not-theirs = Почему покупатель считает, что животное не его.
the-giver-agrees-that-the-user-who-recorded-the-confirmed-movement-deletes-it = Отдавшая сторона согласна, чтобы записавший удалил подтверждённое перемещение.
the-receiver-did-not-take-part-in-the-book-at-that-time-so-the-animal-left-the-book = Получатель тогда не участвовал в книге, поэтому животное из неё выбыло.

# Herds

short-code-unique-within-the-organisation = Короткий код стада, свой в пределах организации.
iana-time-zone-europe-kaliningrad-by-which-events-belong-to-days-empty-that-of-the-organisation = По нему события относят к дням. Пусто: часовой пояс организации.
planned-interval-between-test-days-days = Через сколько дней запланировано следующее контрольное доение.
who-does-the-recording-used-for-milk-tests-that-do-not-state-it = Кто проводит контроль; берётся для контрольных доений, где это не указано.
what-is-recorded-used-for-milk-tests-that-do-not-state-it = Какие дойки учитывают; берётся для контрольных доений, где это не указано.
how-samples-are-taken-used-for-milk-tests-that-do-not-state-it = Как берут пробы; берётся для контрольных доений, где это не указано.
cows-in-milk-are-to-be-dried-off-so-many-days-before-the-expected-calving = За сколько дней до ожидаемого отёла дойная корова попадает в список на запуск.
calvings-are-listed-so-many-days-ahead = За сколько дней вперёд показывать ожидаемые отёлы.
services-are-to-be-checked-after-so-many-days = Через сколько дней после осеменения проверять на стельность.
cows-are-open-too-long-from-so-many-days-after-calving-on = С какого дня после отёла нестельная корова попадает в список.
animals-are-repeat-breeders-from-so-many-services-on = С какого осеменения животное попадает в список.
cells-of-the-last-test-day-above-this-are-listed-1000-ml = Выше этого числа клеток корова попадает в список.
cows-in-milk-are-listed-after-so-many-days-without-a-test-day = Через сколько дней без контрольного доения дойная корова попадает в список.

# Calvings

parity-number-of-the-calving-counted-by-date-where-nobody-stated-it = Какой это отёл по счёту. Если не указать, книга считает по датам.
what-happened-empty-counts-as-calving = Отёл, аборт или запуск; пустое поле считается отёлом.
whether-an-abortion-opens-a-lactation-empty-from-210-days-of-gestation-on-setting = Начинает ли аборт лактацию. Пусто: начинает, если стельность длилась не меньше 210 дней.
days-from-calving-to-drying-off-computed-when-both-dates-are-known = Дни от отёла до запуска; если обе даты известны, считает книга.
day-of-the-first-drying-off-up-to-the-next-calving-writing-it-creates-moves-or-removes-that-row = День запуска до следующего отёла. Запись о запуске создаётся, переносится или убирается вместе с этой датой.
mean-weight-of-the-calves-at-birth-kg = Средняя масса телят этого отёла.
calves-that-are-in-the-book = Телята этого отёла, у которых уже есть своя карточка.
the-calves-one-by-one-the-counts-calves-and-the-weight-are-computed-from-them = Телята по одному. По ним считаются число телят, масса и поле `calves`.
size-from-1-extra-small-to-5-extra-large = От 1, очень мелкий, до 5, очень крупный.
days-since-that-insemination = Дни от осеменения до отёла.
the-insemination-that-led-to-it = Осеменение, от которого был этот отёл.

# Inseminations

number-of-the-last-calving-before-it-0-for-heifers-from-calvings-when-left-out = Номер последнего отёла перед этим днём, у тёлок 0. Если не указать, берётся из отёлов.
last-day-of-a-run-with-the-bull = При вольной случке: последний день, когда бык был с коровами.
sire-in-the-book = Бык, который есть в книге. Если его нет, пишут в поле `bullText`.
sire-that-is-not-in-the-book = Номер или кличка быка, которого в книге нет.
number-of-the-attempt-since-the-last-calving = Которое это осеменение после последнего отёла.
the-semen-came-from-the-farms-own-stock = Сперма взята из запаса самого хозяйства.
sex-that-the-semen-was-sorted-for = На какой пол разделена сперма.
purity-of-the-sorting = Доля сперматозоидов нужного пола по паспорту партии.
genetic-mother = Корова, от которой получен эмбрион, а не та, которой его пересадили.
genetic-father = Бык, от которого получен эмбрион.
outcome-by-the-latest-pregnancy-check = Итог последней проверки на стельность.
pregnancy-check-from-which-the-four-preceding-fields-are-computed-empty-when-they-were-entered-here = Проверка на стельность, из которой взяты итог, дата, метод и число плодов. Пусто: их внесли здесь.
insemination-279-days-embryo-transfer-272 = День осеменения плюс 279 дней, день трансплантации эмбриона плюс 272 дня.
days-from-the-last-calving-to-this-insemination = Дни от последнего отёла до этого осеменения.
how-the-row-came-into-the-book = Как запись попала в книгу.

# Test days and milkings

milk-of-24-hours-kg-left-out-it-is-the-sum-of-the-milkings-if-morning-and-evening-are-given-one-measured-value-or-testcode-is-required = Если не указать, это сумма доек, когда есть утро и вечер. Нужен хотя бы один показатель или поле `testCode`.
number-of-the-last-calving-before-it-from-calvings-when-left-out = Номер последнего отёла перед этим днём. Если не указать, берётся из отёлов.
taken-under-official-milk-recording-an-accredited-laboratory-sent-it-or-the-association-says-so = Официальный контроль: данные прислала аккредитованная лаборатория, или так решила Ассоциация.
who-did-the-recording-the-herds-value-when-left-out = Кто проводил контроль. Если не указать, берётся из карточки стада.
what-was-recorded-the-herds-value-when-left-out = Какие дойки учтены. Если не указать, берётся из карточки стада.
how-the-sample-was-taken-the-herds-value-when-left-out = Как взята проба. Если не указать, берётся из карточки стада.
days-since-the-last-calving = Дни от последнего отёла.
urea-mg-100-ml-it-tells-whether-protein-and-energy-of-the-feed-agree = Показывает, сбалансирован ли рацион по белку и энергии.
beta-hydroxybutyrate-mmol-l-it-rises-with-ketosis = Бета-гидроксибутират в молоке; растёт при кетозе.
acetone-mmol-l-it-rises-with-ketosis = Ацетон в молоке; растёт при кетозе.
somatic-cells-1000-ml-they-rise-with-mastitis = Число соматических клеток растёт при мастите.
when-the-milking-began-without-shiftdate-its-day-in-the-time-zone-of-the-herd-is-the-day-of-the-milk = Когда началась дойка. Если дата смены не указана, удой относят к этому дню по времени стада.
day-of-the-shift-and-so-of-the-milk-the-day-of-the-milking-or-one-beside-it = День смены, к которому относят удой: день дойки или соседний.
mean-over-seven-days-up-to-this-one-by-rows-of-the-same-origin-kg = Среднее за семь дней по этот день, по удоям из того же источника.
highest-conductivity-of-the-day-ms-cm = Наибольшая электропроводность молока за день; растёт при мастите.
origin-of-the-yield-computed-is-the-sum-of-the-milking-visits-and-only-the-server-sets-it = Откуда взят удой. «Рассчитано» — сумма доек, это ставит только книга.

# Weighings

number-of-the-last-calving-before-it-0-before-the-first-from-calvings-when-left-out = Номер последнего отёла перед этим днём, до первого отёла 0. Если не указать, берётся из отёлов.
body-condition-score-1-is-thin-5-is-fat = Балл упитанности: 1 — худая, 5 — жирная.
mean-gain-a-day-since-the-weighing-before-g = Средний прирост за день от прошлого взвешивания.

# Health and other events

type-of-the-event-its-kind-distinguishes-diagnosis-treatment-and-the-others = Что произошло: болезнь, лечение, прививка, осмотр. Виды стоят в справочнике.
whether-statistics-leave-the-event-out = Событие остаётся в карточке, но в сводки не входит.
code-list-of-the-diagnosis = Справочник, из которого взят код диагноза.
code-of-the-diagnosis-in-that-list = Код диагноза в этом справочнике.
affected-parts-of-the-animal-one-in-each-row = Поражённые части тела, по одной в строке.
amount-given-in-doseunit = Сколько препарата дали, в единицах из поля `doseUnit`.
unit-of-the-dose-un-cefact-common-code = Единица дозы: код единиц измерения ООН, не больше трёх знаков.
global-trade-item-number = Номер товара под штрихкодом упаковки.
last-day-on-which-milk-is-not-delivered = Последний день, когда молоко не сдают. По этот день корова стоит в списке ограничений.
last-day-on-which-the-animal-is-not-slaughtered = Последний день, когда животное не забивают.
observed-health-if-the-type-is-of-kind-status-it-becomes-the-health-status-of-the-animal = Состояние при осмотре. Если вид события — состояние, оно становится состоянием животного.
what-happened-exteriorscore-calving-insemination-milktest-and-vettreatment-are-read-not-written = Что произошло. Виды `exteriorScore`, `calving`, `insemination`, `milkTest` и `vetTreatment` только читаются: для них есть свои разделы.
last-day-of-events-that-last = Последний день, если событие длилось.
number-that-belongs-to-the-event-for-donotbreed-0-lifts-the-bar = Число, которое относится к событию. Для вида `doNotBreed` ноль снимает запрет.
the-service-that-a-pregnancy-check-is-about-found-by-days-where-left-out = Осеменение, которое проверяли. Если не указать, книга находит его по дням.
state-of-the-event-only-the-owner-reads-drafts = Черновик видит только владелец.
owner-of-the-animal-when-the-row-was-created-a-sale-of-the-animal-does-not-change-it = Владелец животного в день записи; продажа этого не меняет.
whether-the-association-confirmed-the-row-a-correction-by-the-owner-undoes-it = Подтвердила ли запись Ассоциация. Исправление владельцем снимает подтверждение.
gravest-open-finding-of-the-checks-that-the-owner-of-the-animal-reads-empty-not-checked-yet = Самое тяжёлое из открытых замечаний проверок. Пусто: ещё не проверено.
the-package-that-the-row-came-with = Пакет данных, с которым запись пришла.

# Packages

kind-of-data-it-decides-which-columns-are-looked-for = О чём файл. По этому выбирается, какие столбцы в нём ищут.
data-set-one-of-its-kind = Набор данных этого вида. Если не указать, книга узнаёт его по заголовкам.
the-file-as-it-was-sent = Файл без изменений, как он пришёл.
sha-256-of-the-file-hexadecimal-an-organisation-sends-no-file-twice = Отпечаток файла. По нему книга узнаёт файл, который уже отправляли.
first-day-that-the-data-are-about = С какого дня данные. Если не указать, берётся из строк файла.
last-day-that-the-data-are-about = По какой день данные. Если не указать, берётся из строк файла.
which-column-holds-which-field-and-in-which-unit-if-the-sender-states-it = Какой столбец что означает и в каких единицах. Обычно это поле не нужно: столбцы выбирают при проверке файла.
the-earlier-package-of-the-same-farm-that-this-one-replaces = Прежний пакет того же хозяйства, вместо которого отправлен этот.
assignment-for-which-it-was-sent = Задание Ассоциации, по которому отправлен пакет.
how-far-the-file-is-read-replaced-another-package-took-its-place-empty-the-package-has-none = Насколько прочитан файл. «Заменён»: вместо него отправлен другой пакет. Пусто: файла нет.
the-checks-over-its-animals-and-over-the-package-as-a-whole-are-still-to-be-made = Проверки животных и пакета в целом ещё не сделаны.
rows-that-could-not-be-taken-and-wait-until-their-cause-is-mended = Строки, которые принять нельзя: они ждут исправления.
rows-that-are-no-records-totals-and-rows-that-stand-there-twice = Строки, которые записями не являются: итоги и повторы.
rows-that-the-book-had-as-they-are = Строки, которые в книге уже стояли без изменений.
remark-states-why-it-was-rejected-or-sent-back = Замечание. При отклонении и возврате говорит, почему.
user-of-the-association-who-is-responsible-for-it = Сотрудник Ассоциации, который этим занимается.
the-farm-agrees-that-its-data-are-published = Хозяйство согласно, чтобы данные пакета увидели другие. Подписанный пакет после этого принимается сам.

# Requests

purpose-of-the-request-it-decides-what-an-approval-does = Чего хозяйство просит. От этого зависит, что сделает одобрение.
own-animals-200-at-most-none-for-membership = Свои животные. Для членства животных не указывают.
values-that-a-correction-writes-of-single-fields-not-of-lists = Значения, которые запишет исправление: отдельных полей, не списков.
what-the-book-has-written-by-the-server-when-the-request-is-made-when-it-is-taken-and-when-it-is-approved = Что стояло в книге, когда заявку подали, взяли и одобрили.
number-of-the-request-that-replaced-it = Номер заявки, которая заменила эту.
animals-that-were-held-back = Сколько животных одобрение не коснулось; причины стоят ниже.
the-animals-that-the-approval-held-back-a-row-for-each-reason = Животные, которых одобрение не коснулось, по строке на причину.

# Findings and settings of checks

whether-it-must-be-corrected-or-is-worth-a-look = Нужно исправить или достаточно посмотреть.
why-the-finding-does-not-hold = Почему замечание неверно.
value-instead-of-the-built-in-one-in-the-unit-of-its-check = Значение вместо встроенного, в единицах этой проверки.
severity-of-its-findings-empty-as-built-in = Насколько тяжелы её замечания. Пусто: как встроено.

# Access, people and organisations

animal-that-is-opened-empty-the-whole-herd-including-animals-that-are-added-later = Какое животное открывается. Пусто: всё стадо, и будущие животные тоже.
when-the-grant-ends-empty-never = До какого дня открыто. Пусто: бессрочно.
animals-that-the-link-shows-all-of-the-owner-200-at-most = Животные, которых увидит каждый, у кого есть ссылка. Все они одного владельца.
when-the-link-ends-within-365-days = Когда ссылка перестанет работать; не дальше чем через 365 дней.
email-address-of-the-invited-person-in-lower-case = Почта человека, которого вы зовёте; на неё придёт приглашение.
what-the-user-may-do-for-the-organisation = Что этот человек сможет делать от имени организации.
language-of-emails-to-the-user-empty-that-of-the-service-mail-language = На каком языке приходят письма. Пусто: на языке службы.
what-it-is-accredited-for = На что организация аккредитована. Данные аккредитованной лаборатории считаются официальными.
